import { CHAIN_FAMILIES } from '../domain/chain-families/chain-families.ts'
import type { MicroDollars } from '../domain/money.ts'
import { ISSUER_TIMEOUT_MS, type Pair } from '../domain/networks.ts'
import type { DeploymentConfig } from './networks-config.ts'
import { parseDollars } from './parse-dollars.ts'
import {
  type Fees,
  type ProcessConfig,
  parseFees,
  parseTreasuries,
  processConfig,
  readNetworks,
  requireSettings,
  type Treasury,
} from './process-config.ts'
import type { ProcessEnv } from './read-settings.ts'
import { API_SETTINGS } from './settings.ts'
import { findSwapConfig, findSwapProblems, type SwapConfig } from './swap-config.ts'

export type ApiConfig = ProcessConfig & {
  readonly host: string
  readonly port: number
  /**
   * How long the API continues to serve after a stop request, so that load balancers switch over before it rejects
   * requests.
   */
  readonly drainMs: number
  /** Number of our own proxies that append to `X-Forwarded-For`. */
  readonly trustedProxies: number
  readonly fees: Fees
  readonly treasury: Treasury
  /**
   * Pairs that a test charge can accept although their testnet is not among `deployments`. No chain is read for them.
   */
  readonly simulatedPairs: readonly Pair[]
  /** Minimum requested amount of a live charge; `null` means no minimum. */
  readonly minimumChargeMicro: MicroDollars | null
  readonly rateLimitsPerMinute: {
    readonly general: number
    readonly transferability: number
    readonly metrics: number
    readonly checks: number
    /** Requests for payers' pages, per address and per charge. */
    readonly checkout: number
  }
  /** Origins that may embed payers' pages in a frame. */
  readonly checkoutFrameOrigins: readonly string[]
  /** Whether payers' pages show product images. */
  readonly checkoutHasImages: boolean
  /** Whether x402 clients can pay charges. */
  readonly hasX402: boolean
  /** Timeout of a query to a token's issuer. Not a setting, because the specification defines it. */
  readonly issuerTimeoutMs: number
  /** Timeout of one metrics query. */
  readonly metricsTimeoutMs: number
  readonly streams: {
    readonly maxPerKey: number
    /** Limits of the streams of payers' pages. */
    readonly maxPerAddress: number
    readonly maxPerCharge: number
    readonly heartbeatMs: number
    readonly maxDurationMs: number
    /** Maximum unread bytes of one stream. */
    readonly maxUnreadBytes: number
  }
  /** Maximum bytes that one page of a list loads into memory; a single entry is always returned, whatever its size. */
  readonly maxPageBytes: number
  /** Maximum unread bytes of all responses and streams of this process. */
  readonly maxUnreadBytes: number
  readonly connections: {
    readonly max: number
    /**
     * Per client address. Infinite behind a proxy unless configured, because all clients then share the proxy's
     * address.
     */
    readonly maxPerAddress: number
    /** Timeout for receiving a whole request. */
    readonly requestTimeoutMs: number
    /** Timeout for a client that does not read the response. */
    readonly unreadTimeoutMs: number
  }
  /** The first secret signs; signatures of all of them are accepted. */
  readonly cursorSecrets: readonly string[]
  /** 32 bytes. Without it, webhooks cannot be registered. */
  readonly webhookSealPublicKey: Buffer | null
  /** `null` without a swap provider. */
  readonly swap: SwapConfig | null
}

/** Enough for a platform whose whole backend uses one address, and a tenth of the maximum. */
const MAX_CONNECTIONS_PER_ADDRESS = 500

const PRIVATE_KEYS = ['RELAYER_PRIVATE_KEY', 'PAY_BY_SIGNATURE_PRIVATE_KEY', 'WEBHOOK_SEAL_PRIVATE_KEY']

/**
 * Reads the API's configuration from the environment.
 *
 * @throws {ConfigError} with every invalid variable, including private keys that must not be in this process
 */
export function readApiConfig(env: ProcessEnv = process.env): ApiConfig {
  const networks = readNetworks(env)
  const values = requireSettings(API_SETTINGS, env, [
    ...networks.problems,
    ...findSwapProblems(env),
    ...PRIVATE_KEYS.filter((name) => env[name]).map(
      (name) => `${name} is set: must not be, because the API must hold no private key`,
    ),
    ...findTreasuryProblems(networks.deployments, env),
    ...(env['X402'] === 'on' && !env['CHECKOUT_BASE_URL']
      ? [
          'CHECKOUT_BASE_URL is not set: must be, because X402 is on and its endpoints are below the checkout pages',
        ]
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
    fees: parseFees(values),
    treasury: parseTreasuries(values),
    simulatedPairs: networks.simulatedPairs,
    minimumChargeMicro: values.MINIMUM_CHARGE === undefined ? null : parseDollars(values.MINIMUM_CHARGE),
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
      maxUnreadBytes: values.STREAM_BUFFER_MAX_KIB * 1024,
    },
    maxPageBytes: values.LIST_RESPONSE_MAX_KIB * 1024,
    maxUnreadBytes: values.RESPONSE_BUFFER_MAX_MIB * 1024 * 1024,
    connections: {
      max: values.MAX_CONNECTIONS,
      maxPerAddress:
        values.MAX_CONNECTIONS_PER_ADDRESS ??
        (values.TRUST_PROXY > 0 ? Number.POSITIVE_INFINITY : MAX_CONNECTIONS_PER_ADDRESS),
      requestTimeoutMs: values.REQUEST_TIMEOUT_SECONDS * 1000,
      unreadTimeoutMs: values.RESPONSE_STALL_TIMEOUT_SECONDS * 1000,
    },
    cursorSecrets: values.CURSOR_SECRET.split(','),
    webhookSealPublicKey: decodeKey(values.WEBHOOK_SEAL_PUBLIC_KEY),
    swap: findSwapConfig(values),
  }
}

/** Checks the treasury settings that are only required by enabled pairs. */
function findTreasuryProblems(deployments: readonly DeploymentConfig[], env: ProcessEnv): readonly string[] {
  const enabled = deployments.filter(({ tokens }) => tokens.some((token) => token.enabled))
  const required: readonly string[] = API_SETTINGS.required ?? []
  const settings = new Set(enabled.map(({ family }) => CHAIN_FAMILIES[family].treasurySetting))
  return [...settings]
    .filter((name) => !env[name] && !required.includes(name))
    .map((name) => `${name} is not set: must be, because a pair of its family is enabled`)
}

function decodeKey(base64: string | undefined): Buffer | null {
  return base64 === undefined ? null : Buffer.from(base64, 'base64')
}
