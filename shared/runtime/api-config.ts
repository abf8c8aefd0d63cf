import type { Static } from '@sinclair/typebox'
import { CHAIN_FAMILIES } from '../domain/chain-families/chain-families.ts'
import { ISSUER_TIMEOUT_MS } from '../domain/networks.ts'
import type { DeploymentConfig } from './networks-config.ts'
import { parseDollars } from './parse-dollars.ts'
import { parseFees, parseTreasuries, processConfig, readNetworks, requireSettings } from './process-config.ts'
import type { ProcessEnv } from './read-settings.ts'
import { API_SETTINGS } from './settings.ts'
import { findSwapConfig, findSwapProblems } from './swap-config.ts'

/** The API's configuration. */
export type ApiConfig = Readonly<ReturnType<typeof readApiConfig>>

/**
 * Default maximum of connections per client address: enough for a platform whose whole backend uses one address, and a
 * tenth of the default `MAX_CONNECTIONS`.
 */
const MAX_CONNECTIONS_PER_ADDRESS = 500

const PRIVATE_KEYS = ['RELAYER_PRIVATE_KEY', 'PAY_BY_SIGNATURE_PRIVATE_KEY', 'WEBHOOK_SEAL_PRIVATE_KEY']

/**
 * Reads the API's configuration.
 *
 * @throws {ConfigError} with every invalid variable; a private key is invalid, because the API must not receive one
 */
export function readApiConfig(env: ProcessEnv = process.env) {
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
          'CHECKOUT_BASE_URL is not set: it is required, because X402 is on and its endpoints are below the checkout pages',
        ]
      : []),
  ])
  return {
    ...processConfig(values, networks),
    ...checkoutConfig(values),
    ...limitsConfig(values),
    databaseUrl: values.API_DATABASE_URL,
    internal: { host: values.INTERNAL_HOST, port: values.API_INTERNAL_PORT },
    /** Fraction of each node's request limits that this process may use. */
    nodeBudgetShare: values.API_NODE_BUDGET_PERCENT / 100,
    host: values.API_HOST,
    port: values.API_PORT,
    /** Time for which the API still serves after a stop request, until load balancers have stopped sending requests. */
    drainMs: values.API_DRAIN_SECONDS * 1000,
    /** Number of our own proxies that append to `X-Forwarded-For`. */
    trustedProxies: values.TRUST_PROXY,
    fees: parseFees(values),
    treasury: parseTreasuries(values),
    /** Pairs that a test charge can accept although their testnet is not among `deployments`. */
    simulatedPairs: networks.simulatedPairs,
    /** Minimum requested amount of a live charge; `null` if there is none. */
    minimumChargeMicro: values.MINIMUM_CHARGE === undefined ? null : parseDollars(values.MINIMUM_CHARGE),
    /** Timeout of a query to a token's issuer. Not a setting, because the specification defines the value. */
    issuerTimeoutMs: ISSUER_TIMEOUT_MS,
    metricsTimeoutMs: values.METRICS_TIMEOUT_SECONDS * 1000,
    /** The first secret signs. Signatures of all secrets are accepted. */
    cursorSecrets: values.CURSOR_SECRET.split(',') as readonly string[],
    /** Public key of 32 bytes that encrypts webhook secrets. Without it, webhooks cannot be registered. */
    webhookSealPublicKey: decodeKey(values.WEBHOOK_SEAL_PUBLIC_KEY),
    /** `null` without a swap provider. */
    swap: findSwapConfig(values),
  }
}

type Values = Static<typeof API_SETTINGS>

function checkoutConfig(values: Values) {
  return {
    /** Origins that may embed payers' pages in a frame. */
    checkoutFrameOrigins: values.CHECKOUT_FRAME_ORIGINS.split(',').filter((origin) => origin !== ''),
    checkoutHasImages: values.CHECKOUT_PRODUCT_IMAGES === 'on',
    checkoutHasWalletLinks: values.CHECKOUT_WALLET_LINKS === 'on',
    hasX402: values.X402 === 'on',
  }
}

function limitsConfig(values: Values) {
  return {
    rateLimitsPerMinute: {
      general: values.RATE_LIMIT_PER_MINUTE,
      transferability: values.RATE_LIMIT_TRANSFERABILITY_PER_MINUTE,
      metrics: values.RATE_LIMIT_METRICS_PER_MINUTE,
      checks: values.RATE_LIMIT_CHECKS_PER_MINUTE,
      /** Requests for payers' pages, per address and per charge. */
      checkout: values.RATE_LIMIT_CHECKOUT_PER_MINUTE,
    },
    streams: {
      maxPerKey: values.STREAMS_PER_KEY,
      /** Limits on the streams of payers' pages. */
      maxPerAddress: values.CHECKOUT_STREAMS_PER_ADDRESS,
      maxPerCharge: values.CHECKOUT_STREAMS_PER_CHARGE,
      heartbeatMs: values.STREAM_HEARTBEAT_SECONDS * 1000,
      maxDurationMs: values.STREAM_MAX_SECONDS * 1000,
      maxUnreadBytes: values.STREAM_BUFFER_MAX_KIB * 1024,
    },
    /** Maximum bytes that one page of a list loads into memory. Only a page with a single item may exceed it. */
    maxPageBytes: values.LIST_RESPONSE_MAX_KIB * 1024,
    /** Maximum unread bytes of all responses and streams of this process. */
    maxUnreadBytes: values.RESPONSE_BUFFER_MAX_MIB * 1024 * 1024,
    connections: {
      max: values.MAX_CONNECTIONS,
      /**
       * Maximum connections per client address. Unlimited behind a proxy by default, because all clients then share the
       * proxy's address.
       */
      maxPerAddress:
        values.MAX_CONNECTIONS_PER_ADDRESS ??
        (values.TRUST_PROXY > 0 ? Number.POSITIVE_INFINITY : MAX_CONNECTIONS_PER_ADDRESS),
      /** Timeout for receiving a whole request. */
      requestTimeoutMs: values.REQUEST_TIMEOUT_SECONDS * 1000,
      /** Timeout of a response that the client does not read. */
      unreadTimeoutMs: values.RESPONSE_STALL_TIMEOUT_SECONDS * 1000,
    },
  }
}

/** Lists the missing treasury settings. Each is required only if a pair of its family is enabled. */
function findTreasuryProblems(deployments: readonly DeploymentConfig[], env: ProcessEnv): readonly string[] {
  const enabled = deployments.filter(({ tokens }) => tokens.some((token) => token.enabled))
  const required: readonly string[] = API_SETTINGS.required ?? []
  const settings = new Set(enabled.map(({ family }) => CHAIN_FAMILIES[family].treasurySetting))
  return [...settings]
    .filter((name) => !env[name] && !required.includes(name))
    .map((name) => `${name} is not set: it is required, because a pair of its family is enabled`)
}

function decodeKey(base64: string | undefined): Buffer | null {
  return base64 === undefined ? null : Buffer.from(base64, 'base64')
}
