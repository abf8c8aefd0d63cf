import { invariant } from '../domain/errors.ts'
import type { MicroDollars } from '../domain/money.ts'
import type { DeploymentConfig } from './networks-config.ts'
import { parseDollars } from './parse-dollars.ts'
import {
  findPayBySignatureConfig,
  findPayBySignatureProblems,
  type PayBySignatureConfig,
} from './pay-by-signature-config.ts'
import { getPayoutBounds, type PayoutBounds } from './payout-bounds.ts'
import {
  type Fees,
  type ProcessConfig,
  parseFees,
  parseSealKeyPair,
  parseTreasuries,
  processConfig,
  readNetworks,
  requireSettings,
  type Treasury,
} from './process-config.ts'
import type { ProcessEnv } from './read-settings.ts'
import { parseDelays } from './setting-formats.ts'
import { INDEXER_SETTINGS } from './settings.ts'

/** A deployment with its payout bounds. */
export type IndexerDeployment = DeploymentConfig & PayoutBounds

export type IndexerConfig = Omit<ProcessConfig, 'deployments'> & {
  readonly deployments: readonly IndexerDeployment[]
  /** Must equal the API's fees: charges with other terms are not trusted. */
  readonly fees: Fees
  readonly treasury: Treasury
  /** 0x and 64 hex digits. Without it, payouts are left to keepers. */
  readonly relayerPrivateKey: `0x${string}` | null
  /** `null` if paying by signature is disabled. */
  readonly authorizations: PayBySignatureConfig | null
  readonly webhooks: {
    /** 32 bytes each, newest first. If empty, no webhook is sent. */
    readonly sealPrivateKeys: readonly Buffer[]
    /** When each attempt is due, in seconds after the first; the number of entries is the number of attempts. */
    readonly attemptDelaysSeconds: readonly number[]
    /** Maximum concurrent attempts. */
    readonly concurrency: number
    readonly retentionDays: number
  }
  readonly payouts: {
    readonly graceSeconds: number
    /** When each attempt is due, in seconds; the number of entries is the number of attempts. */
    readonly attemptDelaysSeconds: readonly number[]
    /** Minimum for deployments without their own, and on chains that only other daemons watch. */
    readonly minimumMicro: MicroDollars
  }
  /** If a network responds but has produced no block for this time, it no longer blocks expiry. */
  readonly silentNetworkMs: number
  /** The URL for Ponder's own database user. */
  readonly ponderDatabaseUrl: string
  /** Heap size of each Ponder process. */
  readonly ponderHeapMb: number
}

/**
 * Reads the daemon's configuration from the environment.
 *
 * @throws {ConfigError} with every invalid variable
 */
export function readIndexerConfig(env: ProcessEnv = process.env): IndexerConfig {
  const networks = readNetworks(env)
  const values = requireSettings(INDEXER_SETTINGS, env, [
    ...networks.problems,
    ...findPayBySignatureProblems(env, networks.deployments),
  ])
  return {
    ...processConfig(values, networks),
    databaseUrl: values.INDEXER_DATABASE_URL,
    ponderDatabaseUrl: values.PONDER_DATABASE_URL,
    internal: { host: values.INTERNAL_HOST, port: values.INDEXER_INTERNAL_PORT },
    deployments: networks.deployments.map((deployment) => ({
      ...deployment,
      ...getPayoutBounds(deployment, values),
    })),
    fees: parseFees(values),
    treasury: parseTreasuries(values),
    relayerPrivateKey: (values.RELAYER_PRIVATE_KEY as `0x${string}` | undefined) ?? null,
    authorizations: findPayBySignatureConfig(values),
    webhooks: {
      sealPrivateKeys: parseSealKeyPair(values.WEBHOOK_SEAL_PRIVATE_KEY),
      attemptDelaysSeconds: requireDelays(values.WEBHOOK_RETRY_SCHEDULE),
      concurrency: values.WEBHOOK_CONCURRENCY,
      retentionDays: values.WEBHOOK_RETENTION_DAYS,
    },
    payouts: {
      graceSeconds: values.PAYOUT_GRACE_SECONDS,
      attemptDelaysSeconds: requireDelays(values.PAYOUT_RETRY_SCHEDULE),
      minimumMicro: parseDollars(values.MINIMUM_PAYOUT),
    },
    silentNetworkMs: values.NETWORK_SILENCE_TIMEOUT_MINUTES * 60_000,
    ponderHeapMb: values.PONDER_HEAP_MAX_MB,
  }
}

function requireDelays(text: string): readonly number[] {
  const delays = parseDelays(text)
  invariant(delays, `delays ${text} must have passed validation`)
  return delays
}
