import { invariant } from '../domain/errors.ts'
import type { MicroDollars } from '../domain/money.ts'
import {
  type AuthorizationConfig,
  authorizationConfigOf,
  findAuthorizationProblems,
} from './authorization-config.ts'
import { dollarsOf } from './dollars-of.ts'
import type { DeploymentConfig } from './networks-config.ts'
import { type PayoutBounds, payoutBoundsOf } from './payout-bounds.ts'
import {
  type Fees,
  feesOf,
  type ProcessConfig,
  processConfig,
  readNetworks,
  sealKeysOf,
  settingsOf,
  type Treasury,
  treasuryOf,
} from './process-config.ts'
import type { Environ } from './read-settings.ts'
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
  readonly authorizations: AuthorizationConfig | null
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
export function readIndexerConfig(env: Environ = process.env): IndexerConfig {
  const networks = readNetworks(env)
  const values = settingsOf(INDEXER_SETTINGS, env, [
    ...networks.problems,
    ...findAuthorizationProblems(env, networks.deployments),
  ])
  return {
    ...processConfig(values, networks),
    databaseUrl: values.INDEXER_DATABASE_URL,
    ponderDatabaseUrl: values.PONDER_DATABASE_URL,
    internal: { host: values.INTERNAL_HOST, port: values.INDEXER_INTERNAL_PORT },
    deployments: networks.deployments.map((deployment) => ({
      ...deployment,
      ...payoutBoundsOf(deployment, values),
    })),
    fees: feesOf(values),
    treasury: treasuryOf(values),
    relayerPrivateKey: (values.RELAYER_PRIVATE_KEY as `0x${string}` | undefined) ?? null,
    authorizations: authorizationConfigOf(values),
    webhooks: {
      sealPrivateKeys: sealKeysOf(values.WEBHOOK_SEAL_PRIVATE_KEY),
      attemptDelaysSeconds: requireDelays(values.WEBHOOK_ATTEMPT_DELAYS),
      concurrency: values.WEBHOOK_CONCURRENCY,
      retentionDays: values.WEBHOOK_RETENTION_DAYS,
    },
    payouts: {
      graceSeconds: values.PAYOUT_GRACE_SECONDS,
      attemptDelaysSeconds: requireDelays(values.PAYOUT_ATTEMPT_DELAYS),
      minimumMicro: dollarsOf(values.MINIMUM_PAYOUT),
    },
    silentNetworkMs: values.SILENT_NETWORK_MINUTES * 60_000,
    ponderHeapMb: values.PONDER_HEAP_MB,
  }
}

function requireDelays(text: string): readonly number[] {
  const delays = parseDelays(text)
  invariant(delays, `delays ${text} must have passed validation`)
  return delays
}
