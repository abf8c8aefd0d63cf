import { invariant } from '../domain/errors.ts'
import type { DeploymentConfig } from './networks-config.ts'
import { parseDollars } from './parse-dollars.ts'
import { findPayBySignatureConfig, findPayBySignatureProblems } from './pay-by-signature-config.ts'
import { getPayoutBounds, type PayoutBounds } from './payout-bounds.ts'
import {
  parseFees,
  parseSealKeyPair,
  parseTreasuries,
  processConfig,
  readNetworks,
  requireSettings,
} from './process-config.ts'
import type { ProcessEnv } from './read-settings.ts'
import { parseDelays } from './setting-formats.ts'
import { INDEXER_SETTINGS } from './settings.ts'

/** A deployment with its payout bounds. */
export type IndexerDeployment = DeploymentConfig & PayoutBounds

/** The daemon's configuration. */
export type IndexerConfig = Readonly<ReturnType<typeof readIndexerConfig>>

/**
 * Reads the daemon's configuration from the environment.
 *
 * @throws {ConfigError} with every invalid variable
 */
export function readIndexerConfig(env: ProcessEnv = process.env) {
  const networks = readNetworks(env)
  const values = requireSettings(INDEXER_SETTINGS, env, [
    ...networks.problems,
    ...findPayBySignatureProblems(env, networks.deployments),
  ])
  return {
    ...processConfig(values, networks),
    databaseUrl: values.INDEXER_DATABASE_URL,
    /** The URL with which Ponder's own database user logs in. */
    ponderDatabaseUrl: values.PONDER_DATABASE_URL,
    internal: { host: values.INTERNAL_HOST, port: values.INDEXER_INTERNAL_PORT },
    prometheusUrl: values.PROMETHEUS_URL ?? null,
    onlyRefundsToPayers: values.REFUND_ONLY_TO_SENDER === 'on',
    deployments: networks.deployments.map(
      (deployment): IndexerDeployment => ({ ...deployment, ...getPayoutBounds(deployment, values) }),
    ),
    /** The service's fees. They must equal the API's, because the daemon rejects charges with other terms. */
    fees: parseFees(values),
    treasury: parseTreasuries(values),
    /** 0x and 64 hex digits. Without it, payouts are left to keepers. */
    relayerPrivateKey: (values.RELAYER_PRIVATE_KEY as `0x${string}` | undefined) ?? null,
    /** `null` if paying by signature is disabled. */
    authorizations: findPayBySignatureConfig(values),
    webhooks: {
      /**
       * Private keys that decrypt webhook secrets, 32 bytes each, newest first. If there are none, no webhook is sent.
       */
      sealPrivateKeys: parseSealKeyPair(values.WEBHOOK_SEAL_PRIVATE_KEY),
      /** When each attempt is due, in seconds after the first attempt. Each entry is one attempt. */
      attemptDelaysSeconds: requireDelays(values.WEBHOOK_RETRY_SCHEDULE),
      /** Maximum concurrent attempts. */
      concurrency: values.WEBHOOK_CONCURRENCY,
      retentionDays: values.WEBHOOK_RETENTION_DAYS,
    },
    payouts: {
      graceSeconds: values.PAYOUT_GRACE_SECONDS,
      /** When each attempt is due, in seconds. Each entry is one attempt. */
      attemptDelaysSeconds: requireDelays(values.PAYOUT_RETRY_SCHEDULE),
      /** Minimum payout of deployments without their own minimum, and of chains that only other daemons watch. */
      minimumMicro: parseDollars(values.MINIMUM_PAYOUT),
    },
    /**
     * Time without a new block, although the network's nodes respond, after which the network no longer delays expiry.
     */
    silentNetworkMs: values.NETWORK_SILENCE_TIMEOUT_MINUTES * 60_000,
    /** Time without anything to watch after which a network sleeps; 0 if networks never sleep. */
    sleepAfterSeconds: values.NETWORK_SLEEP_AFTER_SECONDS,
    /** Part of each node's limits that this daemon and its Ponders may use together, from 0 to 1. */
    nodeBudgetShare: values.INDEXER_NODE_BUDGET_PERCENT / 100,
    /** Heap size of each Ponder process. */
    ponderHeapMb: values.PONDER_HEAP_MAX_MB,
  }
}

function requireDelays(text: string): readonly number[] {
  const delays = parseDelays(text)
  invariant(delays, `delays ${text} must have passed validation`)
  return delays
}
