import { FAMILIES } from '../domain/families/families.ts'
import type { MicroDollars } from '../domain/money.ts'
import { ISSUER_TIMEOUT_MS, type Pair } from '../domain/networks.ts'
import { dollarsOf } from './dollars-of.ts'
import type { DeploymentConfig } from './networks-config.ts'
import {
  type Fees,
  feesOf,
  type ProcessConfig,
  processConfig,
  readNetworks,
  settingsOf,
  type Treasury,
  treasuryOf,
} from './process-config.ts'
import type { Environ } from './read-settings.ts'
import { API_SETTINGS } from './settings.ts'
import { findSwapProblems, type SwapConfig, swapConfigOf } from './swap-config.ts'

export type ApiConfig = ProcessConfig & {
  readonly host: string
  readonly port: number
  /** How long it serves on after it was asked to stop, so that balancers send elsewhere before it refuses. */
  readonly drainMs: number
  /** Proxies of ours that append to `X-Forwarded-For`. */
  readonly trustedProxies: number
  readonly fees: Fees
  readonly treasury: Treasury
  /** What a test charge can accept although its testnet is not among `deployments`: no chain is looked at for it. */
  readonly simulatedPairs: readonly Pair[]
  /** Of a live charge as it is requested; `null`: there is none. */
  readonly minimumChargeMicro: MicroDollars | null
  readonly rateLimitsPerMinute: {
    readonly general: number
    readonly transferability: number
    readonly metrics: number
    readonly checks: number
    /** Pages for each address, and for each charge. */
    readonly checkout: number
  }
  /** Origins that may show payers' pages in a frame. */
  readonly checkoutFrameOrigins: readonly string[]
  /** Payers' pages show the pictures of products. */
  readonly checkoutHasImages: boolean
  /** Charges are paid by clients of x402. */
  readonly hasX402: boolean
  /** What a token's issuer is waited for; no setting, the specification has it. */
  readonly issuerTimeoutMs: number
  /** What one metrics query may take. */
  readonly metricsTimeoutMs: number
  readonly streams: {
    readonly maxPerKey: number
    /** Of payers' pages. */
    readonly maxPerAddress: number
    readonly maxPerCharge: number
    readonly heartbeatMs: number
    readonly maxDurationMs: number
    /** What waits for one of them to be read. */
    readonly maxUnreadBytes: number
  }
  /** What one page of a list brings into memory; one entry is shown however large. */
  readonly maxPageBytes: number
  /** What waits for all answers and streams of this process to be read. */
  readonly maxUnreadBytes: number
  readonly connections: {
    readonly max: number
    /** From one address of a socket; infinite behind a proxy, whose address all have, unless it is set. */
    readonly maxPerAddress: number
    /** For a whole request to come. */
    readonly requestTimeoutMs: number
    /** For a client that reads nothing of what is on its way. */
    readonly unreadTimeoutMs: number
  }
  /** The first signs; what any of them signed is taken. */
  readonly cursorSecrets: readonly string[]
  /** 32 bytes; without it no webhook can be registered. */
  readonly webhookSealPublicKey: Buffer | null
  /** `null` without a swap provider. */
  readonly swap: SwapConfig | null
}

/** A platform's whole backend behind one address, and a tenth of all there may be. */
const MAX_CONNECTIONS_PER_ADDRESS = 500

const PRIVATE_KEYS = ['RELAYER_PRIVATE_KEY', 'AUTHORIZATION_RELAYER_KEY', 'WEBHOOK_SEAL_PRIVATE_KEY']

/**
 * Reads what the API needs from the environment.
 *
 * @throws {ConfigError} naming every variable that is wrong, a private key in this process among them
 */
export function readApiConfig(env: Environ = process.env): ApiConfig {
  const networks = readNetworks(env)
  const values = settingsOf(API_SETTINGS, env, [
    ...networks.problems,
    ...findSwapProblems(env),
    ...PRIVATE_KEYS.filter((name) => env[name]).map(
      (name) => `${name} is set: must not be, the API holds no private key`,
    ),
    ...findTreasuryProblems(networks.deployments, env),
    ...(env['X402'] === 'on' && !env['CHECKOUT_BASE_URL']
      ? ['CHECKOUT_BASE_URL is not set: must be, because X402 is on, and is below the pages of charges']
      : []),
  ])
  return {
    ...processConfig(values, networks),
    databaseUrl: values.API_DATABASE_URL,
    internal: { host: values.INTERNAL_HOST, port: values.API_INTERNAL_PORT },
    host: values.API_HOST,
    port: values.API_PORT,
    drainMs: values.API_DRAIN_SECONDS * 1000,
    trustedProxies: values.TRUST_PROXY,
    fees: feesOf(values),
    treasury: treasuryOf(values),
    simulatedPairs: networks.simulatedPairs,
    minimumChargeMicro: values.MINIMUM_CHARGE === undefined ? null : dollarsOf(values.MINIMUM_CHARGE),
    rateLimitsPerMinute: {
      general: values.RATE_LIMIT_PER_MINUTE,
      transferability: values.RATE_LIMIT_TRANSFERABILITY_PER_MINUTE,
      metrics: values.RATE_LIMIT_METRICS_PER_MINUTE,
      checks: values.RATE_LIMIT_CHECKS_PER_MINUTE,
      checkout: values.RATE_LIMIT_CHECKOUT_PER_MINUTE,
    },
    checkoutFrameOrigins: values.CHECKOUT_FRAME_ORIGINS.split(',').filter((origin) => origin !== ''),
    checkoutHasImages: values.CHECKOUT_PRODUCT_IMAGES === 'on',
    hasX402: values.X402 === 'on',
    issuerTimeoutMs: ISSUER_TIMEOUT_MS,
    metricsTimeoutMs: values.METRICS_TIMEOUT_SECONDS * 1000,
    streams: {
      maxPerKey: values.STREAMS_PER_KEY,
      maxPerAddress: values.CHECKOUT_STREAMS_PER_ADDRESS,
      maxPerCharge: values.CHECKOUT_STREAMS_PER_CHARGE,
      heartbeatMs: values.STREAM_HEARTBEAT_SECONDS * 1000,
      maxDurationMs: values.STREAM_MAX_SECONDS * 1000,
      maxUnreadBytes: values.STREAM_UNREAD_MAX_KIB * 1024,
    },
    maxPageBytes: values.PAGE_MAX_KIB * 1024,
    maxUnreadBytes: values.UNREAD_MAX_MIB * 1024 * 1024,
    connections: {
      max: values.MAX_CONNECTIONS,
      maxPerAddress:
        values.MAX_CONNECTIONS_PER_ADDRESS ??
        (values.TRUST_PROXY > 0 ? Number.POSITIVE_INFINITY : MAX_CONNECTIONS_PER_ADDRESS),
      requestTimeoutMs: values.REQUEST_TIMEOUT_SECONDS * 1000,
      unreadTimeoutMs: values.UNREAD_TIMEOUT_SECONDS * 1000,
    },
    cursorSecrets: values.CURSOR_SECRET.split(','),
    webhookSealPublicKey: keyOf(values.WEBHOOK_SEAL_PUBLIC_KEY),
    swap: swapConfigOf(values),
  }
}

/** Of the settings that are required of nobody else. */
function findTreasuryProblems(deployments: readonly DeploymentConfig[], env: Environ): readonly string[] {
  const enabled = deployments.filter(({ tokens }) => tokens.some((token) => token.enabled))
  const required: readonly string[] = API_SETTINGS.required ?? []
  const settings = new Set(enabled.map(({ family }) => FAMILIES[family].treasurySetting))
  return [...settings]
    .filter((name) => !env[name] && !required.includes(name))
    .map((name) => `${name} is not set: must be, because a pair of its family is enabled`)
}

function keyOf(base64: string | undefined): Buffer | null {
  return base64 === undefined ? null : Buffer.from(base64, 'base64')
}
