import type { Static, TObject } from '@sinclair/typebox'
import { type Address, parseAddress } from '../domain/address.ts'
import { parseDecimal, truncateTo } from '../domain/decimal.ts'
import { invariant } from '../domain/errors.ts'
import { type MicroDollars, micro } from '../domain/money.ts'
import { REGISTRY } from '../domain/network-registry.ts'
import { FEE_FRACTION_DIGITS, type Percent, parsePercent } from '../domain/percent.ts'
import type { AllowedTarget } from '../domain/webhook-target.ts'
import { type DeploymentConfig, mergeNetworks } from './networks-config.ts'
import { readNetworksFile } from './networks-file.ts'
import { type Environ, readSettings } from './read-settings.ts'
import { parseAllowedTargets, parseDelays, parseDnsServers, parseSealKeys } from './setting-formats.ts'
import {
  API_SETTINGS,
  CLIENT_SETTINGS,
  INDEXER_SETTINGS,
  KEEPER_SETTINGS,
  MIGRATION_SETTINGS,
  OPERATOR_SETTINGS,
  RESEAL_SETTINGS,
} from './settings.ts'

/** Where the service's fee goes, per address family; without `tron`, no TRON pair can be enabled. */
export type Treasury = { readonly evm: Address; readonly tron: Address | null }

/** Our head is stale when it has not advanced for this many block times, and at least this long. */
export type StaleRule = { readonly blocks: number; readonly atLeastMs: number }

type ProcessConfig = {
  readonly logLevel: string
  readonly databaseUrl: string
  readonly maxConnections: number
  /** Where `/livez`, `/readyz` and `/metrics` listen. */
  readonly internal: { readonly host: string; readonly port: number }
  readonly deployments: readonly DeploymentConfig[]
  readonly staleAfter: StaleRule
  /** Ranges webhooks may target although they are not public; empty in production. */
  readonly allowedTargets: readonly AllowedTarget[]
  /** Who is asked for the hosts of webhooks; none means the system's servers. */
  readonly dnsServers: readonly string[]
}

export type ApiConfig = ProcessConfig & {
  readonly host: string
  readonly port: number
  /** Proxies of ours that append to `X-Forwarded-For`. */
  readonly trustedProxies: number
  readonly fees: {
    readonly feePercent: Percent
    /** Added to `feePercent` on an escrow charge. */
    readonly escrowFeePercent: Percent
    readonly distributorFeePercent: Percent
  }
  readonly treasury: Treasury
  readonly rateLimitsPerMinute: {
    readonly general: number
    readonly transferability: number
    readonly metrics: number
    readonly distributions: number
  }
  /** What one metrics query may take. */
  readonly metricsTimeoutMs: number
  readonly streams: {
    readonly maxPerKey: number
    readonly heartbeatMs: number
    readonly maxDurationMs: number
  }
  readonly cursorSecret: string
  /** 32 bytes; without it no webhook can be registered. */
  readonly webhookSealPublicKey: Buffer | null
  readonly checkoutBaseUrl: string | null
}

/** A deployment with the bounds of what we pay to pay out on it. */
export type IndexerDeployment = DeploymentConfig & {
  readonly minimumPayoutMicro: MicroDollars
  readonly maxFeePerGasWei: bigint
}

export type IndexerConfig = Omit<ProcessConfig, 'deployments'> & {
  readonly deployments: readonly IndexerDeployment[]
  /** 0x and 64 hex digits; without it payouts are left to keepers. */
  readonly relayerPrivateKey: `0x${string}` | null
  readonly webhooks: {
    /** 32 bytes each, newest first; none means that no webhook is sent. */
    readonly sealPrivateKeys: readonly Buffer[]
    /** When each attempt is due, in seconds after the first; as many attempts as entries. */
    readonly attemptDelaysSeconds: readonly number[]
    /** Attempts under way at once. */
    readonly concurrency: number
    readonly retentionDays: number
  }
  readonly payouts: {
    readonly graceSeconds: number
    /** When each attempt is due, in seconds; as many attempts as entries. */
    readonly attemptDelaysSeconds: readonly number[]
  }
  /** A network that answers but made no block for this long no longer holds up expiry. */
  readonly silentNetworkMs: number
  /** Of each Ponder process. */
  readonly ponderHeapMb: number
}

export type OperatorConfig = { readonly databaseUrl: string; readonly treasury: Treasury }

/** What `npm run webhooks -- reseal` works with; the keys newest first. */
export type ResealConfig = { readonly databaseUrl: string; readonly sealPrivateKeys: readonly Buffer[] }

export type MigrationConfig = { readonly databaseUrl: string }

/** A configuration that a process cannot start with: everything that is wrong with it, at once. */
export class ConfigError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(['The configuration is not valid:', ...problems.map((problem) => `  ${problem}`)].join('\n'))
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/**
 * Reads what the API needs from the environment.
 *
 * @throws {ConfigError} naming every variable that is wrong, a private key in this process among them
 */
export function readApiConfig(env: Environ = process.env): ApiConfig {
  const networks = readNetworks(env)
  const tron = networks.deployments.filter(
    ({ family, tokens }) => family === 'tron' && tokens.some((t) => t.enabled),
  )
  const values = settingsOf(API_SETTINGS, env, [
    ...networks.problems,
    ...PRIVATE_KEYS.filter((name) => env[name]).map(
      (name) => `${name} is set: must not be, the API holds no private key`,
    ),
    ...(tron.length > 0 && !env['TREASURY_ADDRESS_TRON']
      ? ['TREASURY_ADDRESS_TRON is not set: must be, because a TRON pair is enabled']
      : []),
  ])
  return {
    ...processConfig(values, networks.deployments),
    databaseUrl: values.API_DATABASE_URL,
    internal: { host: values.INTERNAL_HOST, port: values.API_INTERNAL_PORT },
    host: values.API_HOST,
    port: values.API_PORT,
    trustedProxies: values.TRUST_PROXY,
    fees: {
      feePercent: percentOf(values.FEE_PERCENT),
      escrowFeePercent: percentOf(values.ESCROW_FEE_PERCENT),
      distributorFeePercent: percentOf(values.DISTRIBUTOR_FEE_PERCENT),
    },
    treasury: treasuryOf(values),
    rateLimitsPerMinute: {
      general: values.RATE_LIMIT_PER_MINUTE,
      transferability: values.RATE_LIMIT_TRANSFERABILITY_PER_MINUTE,
      metrics: values.RATE_LIMIT_METRICS_PER_MINUTE,
      distributions: values.RATE_LIMIT_DISTRIBUTIONS_PER_MINUTE,
    },
    metricsTimeoutMs: values.METRICS_TIMEOUT_SECONDS * 1000,
    streams: {
      maxPerKey: values.STREAMS_PER_KEY,
      heartbeatMs: values.STREAM_HEARTBEAT_SECONDS * 1000,
      maxDurationMs: values.STREAM_MAX_SECONDS * 1000,
    },
    cursorSecret: values.CURSOR_SECRET,
    webhookSealPublicKey: keyOf(values.WEBHOOK_SEAL_PUBLIC_KEY),
    checkoutBaseUrl: values.CHECKOUT_BASE_URL ?? null,
  }
}

/**
 * Reads what the daemon needs from the environment.
 *
 * @throws {ConfigError} naming every variable that is wrong
 */
export function readIndexerConfig(env: Environ = process.env): IndexerConfig {
  const networks = readNetworks(env)
  const values = settingsOf(INDEXER_SETTINGS, env, networks.problems)
  return {
    ...processConfig(values, networks.deployments),
    databaseUrl: values.INDEXER_DATABASE_URL,
    internal: { host: values.INTERNAL_HOST, port: values.INDEXER_INTERNAL_PORT },
    deployments: networks.deployments.map((deployment) => ({
      ...deployment,
      minimumPayoutMicro: dollarsOf(deployment.minimumPayout ?? values.MINIMUM_PAYOUT),
      maxFeePerGasWei: BigInt(deployment.maxFeePerGasGwei ?? values.MAX_FEE_PER_GAS_GWEI) * WEI_PER_GWEI,
    })),
    relayerPrivateKey: (values.RELAYER_PRIVATE_KEY as `0x${string}` | undefined) ?? null,
    webhooks: {
      sealPrivateKeys: sealKeysOf(values.WEBHOOK_SEAL_PRIVATE_KEY),
      attemptDelaysSeconds: delaysOf(values.WEBHOOK_ATTEMPT_DELAYS),
      concurrency: values.WEBHOOK_CONCURRENCY,
      retentionDays: values.WEBHOOK_RETENTION_DAYS,
    },
    payouts: {
      graceSeconds: values.PAYOUT_GRACE_SECONDS,
      attemptDelaysSeconds: delaysOf(values.PAYOUT_ATTEMPT_DELAYS),
    },
    silentNetworkMs: values.SILENT_NETWORK_MINUTES * 60_000,
    ponderHeapMb: values.PONDER_HEAP_MB,
  }
}

/**
 * Reads what the operators' command lines need from the environment.
 *
 * @throws {ConfigError} naming every variable that is wrong
 */
export function readOperatorConfig(env: Environ = process.env): OperatorConfig {
  const values = settingsOf(OPERATOR_SETTINGS, env)
  return { databaseUrl: values.OPERATOR_DATABASE_URL, treasury: treasuryOf(values) }
}

/**
 * Reads what `npm run webhooks -- reseal` needs from the environment.
 *
 * @throws {ConfigError} naming every variable that is wrong
 */
export function readResealConfig(env: Environ = process.env): ResealConfig {
  const values = settingsOf(RESEAL_SETTINGS, env)
  return {
    databaseUrl: values.OPERATOR_DATABASE_URL,
    sealPrivateKeys: sealKeysOf(values.WEBHOOK_SEAL_PRIVATE_KEY),
  }
}

/**
 * Reads what `npm run migrate` needs from the environment.
 *
 * @throws {ConfigError} naming every variable that is wrong
 */
export function readMigrationConfig(env: Environ = process.env): MigrationConfig {
  return { databaseUrl: settingsOf(MIGRATION_SETTINGS, env).OWNER_DATABASE_URL }
}

/** Where the service is, and as whom to ask it. */
export type ClientConfig = { readonly apiUrl: string; readonly apiKey: string }

/** What a keeper acts with. */
export type KeeperConfig = {
  readonly apiUrl: string
  readonly apiKey: string
  /** 0x and 64 hex digits. */
  readonly privateKey: `0x${string}`
}

/**
 * Reads what `npm run keeper` needs from the environment.
 *
 * @throws {ConfigError} naming every variable that is wrong
 */
export function readKeeperConfig(env: Environ = process.env): KeeperConfig {
  const values = settingsOf(KEEPER_SETTINGS, env)
  return {
    apiUrl: values.KEEPER_API_URL.replace(/\/$/, ''),
    apiKey: values.KEEPER_API_KEY,
    privateKey: values.KEEPER_PRIVATE_KEY as `0x${string}`,
  }
}

/**
 * Reads what `npm run svc` needs from the environment.
 *
 * @throws {ConfigError} naming every variable that is wrong
 */
export function readClientConfig(env: Environ = process.env): ClientConfig {
  const values = settingsOf(CLIENT_SETTINGS, env)
  return { apiUrl: values.SVC_API_URL, apiKey: values.SVC_API_KEY }
}

/**
 * Reads which deployments are configured; all that `npm run contracts` needs.
 *
 * @throws {ConfigError} naming everything that is wrong
 */
export function readDeployments(env: Environ = process.env): readonly DeploymentConfig[] {
  const { deployments, problems } = readNetworks(env)
  if (problems.length > 0) throw new ConfigError(problems)
  return deployments
}

/**
 * Reads a private key from the variable that an operator names on the command line.
 *
 * @throws {ConfigError} without showing the value
 */
export function readPrivateKey(name: string, env: Environ = process.env): `0x${string}` {
  const value = env[name] ?? ''
  if (!/^0x[0-9a-fA-F]{64}$/.test(value)) throw new ConfigError([`${name} must be 0x and 64 hex digits`])
  return value as `0x${string}`
}

/**
 * Writes every error of a configuration, or "configuration is valid"; what `--check-config` does.
 *
 * @returns the process's exit code: 0 or 1
 */
export function checkConfig(
  read: () => unknown,
  output: { write: (text: string) => unknown } = process.stdout,
): 0 | 1 {
  try {
    read()
    output.write('configuration is valid\n')
    return 0
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    output.write(`${error.message}\n`)
    return 1
  }
}

const WEI_PER_GWEI = 10n ** 9n

const PRIVATE_KEYS = ['RELAYER_PRIVATE_KEY', 'WEBHOOK_SEAL_PRIVATE_KEY']

function readNetworks(env: Environ): {
  deployments: readonly DeploymentConfig[]
  problems: readonly string[]
} {
  const path = env['NETWORKS_CONFIG']
  const { file, problems } = path ? readNetworksFile(path) : { file: {}, problems: [] }
  const merged = mergeNetworks({ registry: REGISTRY, file, selection: env['DEPLOYMENTS'] || undefined })
  // What is merged without the file would only add problems that the file may well have solved.
  return problems.length > 0 ? { deployments: [], problems } : merged
}

function settingsOf<Schema extends TObject>(
  schema: Schema,
  env: Environ,
  otherProblems: readonly string[] = [],
): Static<Schema> {
  const { values, problems } = readSettings(schema, env)
  if (values === null || otherProblems.length > 0) throw new ConfigError([...problems, ...otherProblems])
  return values
}

function processConfig(
  values: Static<typeof API_SETTINGS> | Static<typeof INDEXER_SETTINGS>,
  deployments: readonly DeploymentConfig[],
) {
  const allowedTargets = parseAllowedTargets(values.WEBHOOK_ALLOWED_TARGETS)
  invariant(allowedTargets, `ranges ${values.WEBHOOK_ALLOWED_TARGETS} passed their format`)
  return {
    logLevel: values.LOG_LEVEL,
    maxConnections: values.DATABASE_MAX_CONNECTIONS,
    deployments,
    staleAfter: { blocks: values.STALE_AFTER_BLOCKS, atLeastMs: values.STALE_AFTER_MIN_SECONDS * 1000 },
    allowedTargets,
    dnsServers: parseDnsServers(values.WEBHOOK_DNS_SERVERS),
  }
}

function treasuryOf(values: { TREASURY_ADDRESS: string; TREASURY_ADDRESS_TRON?: string }): Treasury {
  const evm = parseAddress(values.TREASURY_ADDRESS)
  invariant(evm, `address ${values.TREASURY_ADDRESS} passed its format`)
  const tron = values.TREASURY_ADDRESS_TRON === undefined ? null : parseAddress(values.TREASURY_ADDRESS_TRON)
  return { evm, tron }
}

function percentOf(text: string): Percent {
  const percent = parsePercent(text, { maxFractionDigits: FEE_FRACTION_DIGITS })
  invariant(percent !== null, `percent ${text} passed its format`)
  return percent
}

function dollarsOf(text: string): MicroDollars {
  const decimal = parseDecimal(text)
  invariant(decimal, `dollars ${text} passed their format`)
  return micro(truncateTo(decimal, 6))
}

function delaysOf(text: string): readonly number[] {
  const delays = parseDelays(text)
  invariant(delays, `delays ${text} passed their format`)
  return delays
}

function sealKeysOf(text: string | undefined): readonly Buffer[] {
  const keys = text === undefined ? [] : parseSealKeys(text)
  invariant(keys, 'seal keys passed their format')
  return keys
}

function keyOf(base64: string | undefined): Buffer | null {
  return base64 === undefined ? null : Buffer.from(base64, 'base64')
}
