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
 * Reads the daemon's configuration.
 *
 * @throws {ConfigError} listing the invalid variables, and the problems of the networks file
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
    /** Database URL of the Ponder processes, with their own database user. */
    ponderDatabaseUrl: values.PONDER_DATABASE_URL,
    internal: { host: values.INTERNAL_HOST, port: values.INDEXER_INTERNAL_PORT },
    prometheusUrl: values.PROMETHEUS_URL ?? null,
    onlyRefundsToPayers: values.REFUND_ONLY_TO_SENDER === 'on',
    deployments: networks.deployments.map(
      (deployment): IndexerDeployment => ({ ...deployment, ...getPayoutBounds(deployment, values) }),
    ),
    /**
     * Must include the API's fees, because the daemon quarantines charges whose fees it has never been configured with.
     */
    fees: parseFees(values),
    treasury: parseTreasuries(values),
    /** 0x and 64 hex digits. Without it, payouts are left to keepers. */
    relayerPrivateKey: (values.RELAYER_PRIVATE_KEY as `0x${string}` | undefined) ?? null,
    /** `null` if paying by signature is disabled. */
    authorizations: findPayBySignatureConfig(values),
    webhooks: {
      /** Private keys that decrypt webhook secrets, newest first. Without a key, no webhook is sent. */
      sealPrivateKeys: parseSealKeyPair(values.WEBHOOK_SEAL_PRIVATE_KEY),
      /** Time of each attempt, in seconds after the first attempt. */
      attemptDelaysSeconds: requireDelays(values.WEBHOOK_RETRY_SCHEDULE),
      /** Maximum concurrent attempts. */
      concurrency: values.WEBHOOK_CONCURRENCY,
      retentionDays: values.WEBHOOK_RETENTION_DAYS,
    },
    payouts: {
      graceSeconds: values.PAYOUT_GRACE_SECONDS,
      /** Time of each attempt, in seconds after the first attempt. */
      attemptDelaysSeconds: requireDelays(values.PAYOUT_RETRY_SCHEDULE),
      /** Minimum payout on chains that this daemon does not watch. Watched chains have `minimumPayoutMicro`. */
      minimumMicro: parseDollars(values.MINIMUM_PAYOUT),
    },
    /**
     * If a network's nodes respond but show no new block for this long, the network no longer delays the expiry of
     * charges whose deadline passed at least this long ago.
     */
    silentNetworkMs: values.NETWORK_SILENCE_TIMEOUT_MINUTES * 60_000,
    /** A network sleeps after this time without anything to watch (decisions 9.10); 0 if networks never sleep. */
    sleepAfterSeconds: values.NETWORK_SLEEP_AFTER_SECONDS,
    /** Fraction of each node's request limits that this daemon and its Ponder processes may use together. */
    nodeBudgetShare: values.INDEXER_NODE_BUDGET_PERCENT / 100,
    ponderHeapMb: values.PONDER_HEAP_MAX_MB,
  }
}

function requireDelays(text: string): readonly number[] {
  const delays = parseDelays(text)
  invariant(delays, `delays ${text} must have passed validation`)
  return delays
}
