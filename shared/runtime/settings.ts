import { type StringOptions, Type } from '@sinclair/typebox'
import { NETWORKS, type Network } from '../domain/networks.ts'
import type { SETTING_FORMATS } from './setting-formats.ts'

/*
 * One schema of environment variables for each process and command. `read-settings.ts` reads and validates them;
 * `api-config.ts` and `indexer-config.ts` check combinations. `.env.example` documents the variables for operators; a
 * test requires it to list all of them.
 */

/** Default limits of an organization for some endpoints, in addition to the general limit. */
export const ROUTE_LIMITS_PER_MINUTE = { transferability: 20, metrics: 60, checks: 100 } as const

/** Settings of every process that opens database sessions. */
const SESSIONS = {
  /** `off` accepts sessions that can lose confirmed commits. Use it only in tests. */
  SYNCHRONOUS_COMMIT_CHECK: Type.Union([Type.Literal('on'), Type.Literal('off')], { default: 'on' }),
}

const EVERY_PROCESS = {
  ...SESSIONS,
  LOG_LEVEL: Type.Union(
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal'].map((level) => Type.Literal(level)),
    { default: 'info' },
  ),
  /** Where `/livez`, `/readyz` and `/metrics` listen. Must not be a public interface. */
  INTERNAL_HOST: Type.String({ default: '127.0.0.1' }),
  NETWORKS_CONFIG: Type.Optional(Type.String()),
  DEPLOYMENTS: Type.Optional(Type.String()),
  DATABASE_MAX_CONNECTIONS: count({ minimum: 2, maximum: 200, default: 10 }),
  /** Set for API and daemon, because the daemon's events contain the same Charge as the API's responses. */
  CHECKOUT_BASE_URL: Type.Optional(text('web-url')),
  /** Set for API and daemon, like `CHECKOUT_BASE_URL`. */
  SWAP_PROVIDER: Type.Optional(text('swap-provider')),
  WEBHOOK_ALLOWED_TARGETS: text('allowed-targets', { default: '' }),
  WEBHOOK_DNS_SERVERS: text('dns-servers', { default: '' }),
  // Chain data is stale if our head has not advanced for this number of block times (decisions 2.4).
  HEAD_STALE_AFTER_BLOCKS: count({ minimum: 2, maximum: 1000, default: 20 }),
  // At least 110 s, because a sleeping network's heads are read every 60 to 90 s, and the first after waking is later.
  HEAD_STALE_AFTER_MIN_SECONDS: count({ minimum: 110, maximum: 3600, default: 120 }),
}

const TREASURY = {
  TREASURY_ADDRESS: text('evm-address'),
  TREASURY_ADDRESS_TRON: Type.Optional(text('tron-address')),
}

/** Terms of charges. The API creates charges with these terms, and the daemon accepts no other terms. */
const TERMS = {
  ...TREASURY,
  // Decisions 1.5 and 1.7.
  FEE_PERCENT: text('fee-percent', { default: '1' }),
  ESCROW_FEE_PERCENT: text('fee-percent', { default: '0.5' }),
  DISTRIBUTOR_FEE_PERCENT: text('incentive-percent', { default: '0.1' }),
}

/** Minimum amount and maximum cost of a payout. */
const PAYOUT_BOUNDS = {
  /** Overrides the registry's value of every network. */
  MAX_FEE_PER_GAS_GWEI: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 100_000 })),
  /** Late and underpaid amounts below it wait for further payments, because dust is not worth the gas of a payout. */
  MINIMUM_PAYOUT: text('dollars', { default: '1' }),
}

/** Percent of each node's request limits that a daemon and its Ponder processes may use together. */
const DAEMON_BUDGET = {
  INDEXER_NODE_BUDGET_PERCENT: Type.Number({ exclusiveMinimum: 0, maximum: 100, default: 80 }),
}

/** The settings of the API. */
export const API_SETTINGS = Type.Object({
  ...EVERY_PROCESS,
  ...TERMS,
  API_DATABASE_URL: text('postgres-url', { secret: true }),
  API_HOST: Type.String({ default: '127.0.0.1' }),
  API_PORT: port(3000),
  API_INTERNAL_PORT: port(9464),
  /** Percent of each node's request limits for this process. The daemon's default leaves room for two API processes. */
  API_NODE_BUDGET_PERCENT: Type.Number({ exclusiveMinimum: 0, maximum: 100, default: 10 }),
  /** At most 8 s, because 10 s for requests in flight and 5 s for the pool follow, and a stop may take only 25 s. */
  API_DRAIN_SECONDS: count({ minimum: 0, maximum: 8, default: 0 }),
  /** Number of our own proxies that append to `X-Forwarded-For`; with 0 the header is ignored. */
  TRUST_PROXY: count({ minimum: 0, maximum: 10, default: 0 }),
  CURSOR_SECRET: text('cursor-secrets', { secret: true }),
  WEBHOOK_SEAL_PUBLIC_KEY: Type.Optional(text('seal-key')),
  /** Smaller live charges are rejected, because each payout costs us gas, regardless of its amount. */
  MINIMUM_CHARGE: Type.Optional(text('dollars')),
  /** Key of the swap provider's account; required by SWAP_PROVIDER. */
  SWAP_API_KEY: Type.Optional(text('header-value', { secret: true })),
  SWAP_BASE_URL: text('web-url', { default: 'https://api.0x.org' }),
  SWAP_SLIPPAGE_BPS: count({ minimum: 1, maximum: 1000, default: 100 }),
  /** Our fee on the bought amount of a swap, in hundredths of a percent. 0x allows up to 1000 by default. */
  SWAP_FEE_BPS: count({ minimum: 0, maximum: 1000, default: 0 }),
  SWAP_FEE_RECIPIENT: Type.Optional(text('evm-address')),
  // Decisions 7.2.
  RATE_LIMIT_PER_MINUTE: perMinute(100),
  RATE_LIMIT_TRANSFERABILITY_PER_MINUTE: perMinute(ROUTE_LIMITS_PER_MINUTE.transferability),
  RATE_LIMIT_METRICS_PER_MINUTE: perMinute(ROUTE_LIMITS_PER_MINUTE.metrics),
  /** A check makes the daemon query nodes of every network that the charge accepts. */
  RATE_LIMIT_CHECKS_PER_MINUTE: perMinute(ROUTE_LIMITS_PER_MINUTE.checks),
  /** For payers' pages, per address and per charge. Many payers may share an address. A page polls 3 times a minute. */
  RATE_LIMIT_CHECKOUT_PER_MINUTE: perMinute(300),
  /** Timeout of one query (docs/metrics.md). */
  METRICS_TIMEOUT_SECONDS: count({ minimum: 1, maximum: 25, default: 5 }),
  /** Maximum size of a page of a list in memory. Only a page with a single item may exceed it. */
  LIST_RESPONSE_MAX_KIB: count({ minimum: 64, maximum: 65_536, default: 1024 }),
  /** Maximum unread bytes of one stream. */
  STREAM_BUFFER_MAX_KIB: count({ minimum: 64, maximum: 65_536, default: 4096 }),
  /** Maximum unread bytes of all responses and streams of the process. */
  RESPONSE_BUFFER_MAX_MIB: count({ minimum: 1, maximum: 65_536, default: 64 }),
  RESPONSE_STALL_TIMEOUT_SECONDS: count({ minimum: 1, maximum: 600, default: 30 }),
  REQUEST_TIMEOUT_SECONDS: count({ minimum: 1, maximum: 600, default: 30 }),
  MAX_CONNECTIONS: count({ minimum: 10, maximum: 1_000_000, default: 5000 }),
  MAX_CONNECTIONS_PER_ADDRESS: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  STREAMS_PER_KEY: count({ minimum: 1, maximum: 10_000, default: 20 }),
  /** Origins that may embed payers' pages in a frame; by default none may. */
  CHECKOUT_FRAME_ORIGINS: text('origins', { default: '' }),
  /** Whether payers' browsers fetch product images from the merchant's host. */
  CHECKOUT_PRODUCT_IMAGES: Type.Union([Type.Literal('on'), Type.Literal('off')], { default: 'on' }),
  /** Whether payers' pages link to wallet apps, whose vendors might learn the page's address. */
  CHECKOUT_WALLET_LINKS: Type.Union([Type.Literal('on'), Type.Literal('off')], { default: 'on' }),
  /** Whether x402 clients can pay charges, on endpoints below the charge's checkout page. */
  X402: Type.Union([Type.Literal('on'), Type.Literal('off')], { default: 'off' }),
  /** Streams of payers' pages. Many payers may share an address; a payer opens only a few pages of one charge. */
  CHECKOUT_STREAMS_PER_ADDRESS: count({ minimum: 1, maximum: 100_000, default: 100 }),
  CHECKOUT_STREAMS_PER_CHARGE: count({ minimum: 1, maximum: 10_000, default: 20 }),
  STREAM_HEARTBEAT_SECONDS: count({ minimum: 1, maximum: 60, default: 15 }),
  STREAM_MAX_SECONDS: count({ minimum: 10, maximum: 86_400, default: 7200 }),
})

/** Minimum payment by signature on each network, because we pay the gas of such a payment. */
const AUTHORIZATION_MINIMUMS = Object.fromEntries(
  NETWORKS.map((network) => [getMinimumSettingName(network), Type.Optional(text('dollars'))]),
)

/** Returns the name of the setting for a network's minimum payment by signature. */
export function getMinimumSettingName(network: Network): `PAY_BY_SIGNATURE_MINIMUM_${string}` {
  return `PAY_BY_SIGNATURE_MINIMUM_${network.toUpperCase()}`
}

/** The settings of the daemon. */
export const INDEXER_SETTINGS = Type.Object({
  ...EVERY_PROCESS,
  ...TERMS,
  INDEXER_DATABASE_URL: text('postgres-url', { secret: true }),
  /** The only secret that the Ponder processes receive. */
  PONDER_DATABASE_URL: text('postgres-url', { secret: true }),
  INDEXER_INTERNAL_PORT: port(9465),
  ...DAEMON_BUDGET,
  /** Whether a refund may go only to an account that sent at least the refund's amount. */
  REFUND_ONLY_TO_SENDER: Type.Union([Type.Literal('on'), Type.Literal('off')], { default: 'off' }),
  /** Source of the alerts on the status page. */
  PROMETHEUS_URL: Type.Optional(text('web-url')),
  /** This key only pays gas. Without it, payouts are left to keepers. */
  RELAYER_PRIVATE_KEY: Type.Optional(text('private-key', { secret: true })),
  /** This key only pays the gas of payments by signature. */
  PAY_BY_SIGNATURE_PRIVATE_KEY: Type.Optional(text('private-key', { secret: true })),
  /** Empty by default (decisions 8.6). */
  PAY_BY_SIGNATURE_NETWORKS: text('networks', { default: '' }),
  /** Gas limit per organization, network and day. Each payment counts as 200,000. */
  PAY_BY_SIGNATURE_DAILY_GAS: count({ minimum: 200_000, maximum: 1_000_000_000_000, default: 100_000_000 }),
  ...AUTHORIZATION_MINIMUMS,
  WEBHOOK_SEAL_PRIVATE_KEY: Type.Optional(text('seal-keys', { secret: true })),
  // Decisions 6.5.
  WEBHOOK_RETRY_SCHEDULE: text('delays', { default: '0s,5m,30m,2h,24h' }),
  /** Maximum concurrent attempts; each needs a socket and a few kilobytes. */
  WEBHOOK_CONCURRENCY: count({ minimum: 10, maximum: 2000, default: 200 }),
  /** How long finished deliveries are kept. */
  WEBHOOK_RETENTION_DAYS: count({ minimum: 2, maximum: 3650, default: 90 }),
  // Decisions 5.1.
  PAYOUT_GRACE_SECONDS: count({ minimum: 0, maximum: 86_400, default: 300 }),
  PAYOUT_RETRY_SCHEDULE: text('delays', { default: '0s,30s,2m,10m,30m,1h,3h,6h' }),
  ...PAYOUT_BOUNDS,
  /** Time without a block after which a network no longer delays the expiry of charges (decisions 3.4). */
  NETWORK_SILENCE_TIMEOUT_MINUTES: count({ minimum: 1, maximum: 1440, default: 15 }),
  /** Time without anything to watch after which a network sleeps; with 0 it never sleeps (decisions 9.10). */
  NETWORK_SLEEP_AFTER_SECONDS: count({ minimum: 0, maximum: 2_592_000, default: 90_000 }),
  /** With a heap of 200 MB, the resident memory was 337 MB after 100,000 events. */
  PONDER_HEAP_MAX_MB: count({ minimum: 128, maximum: 8192, default: 256 }),
})

/** The settings of every command with a database connection. */
export const SESSION_SETTINGS = Type.Object(SESSIONS)

/** The settings of the operators' commands that need only the database. */
export const OPERATOR_SETTINGS = Type.Object({
  OPERATOR_DATABASE_URL: text('postgres-url', { secret: true }),
})

/** The settings of `npm run keys`, which rejects the treasury's addresses as payout addresses. */
export const KEYS_SETTINGS = Type.Object({
  ...TREASURY,
  OPERATOR_DATABASE_URL: text('postgres-url', { secret: true }),
})

/** The settings of `npm run networks -- doctor`. */
export const DOCTOR_SETTINGS = Type.Object({
  ...PAYOUT_BOUNDS,
  ...DAEMON_BUDGET,
  OPERATOR_DATABASE_URL: text('postgres-url', { secret: true }),
})

/** The settings of `npm run webhooks`. */
export const RESEAL_SETTINGS = Type.Object({
  OPERATOR_DATABASE_URL: text('postgres-url', { secret: true }),
  WEBHOOK_SEAL_PRIVATE_KEY: text('seal-keys', { secret: true }),
})

/** The settings of `npm run migrate`. */
export const MIGRATION_SETTINGS = Type.Object({
  OWNER_DATABASE_URL: text('postgres-url', { secret: true }),
})

/** The settings of `npm run keeper`. */
export const KEEPER_SETTINGS = Type.Object({
  KEEPER_API_URL: text('web-url', { default: 'http://127.0.0.1:3000' }),
  KEEPER_API_KEY: Type.String({ minLength: 1, secret: true }),
  KEEPER_PRIVATE_KEY: text('private-key', { secret: true }),
})

/** The settings of `npm run svc`. */
export const CLIENT_SETTINGS = Type.Object({
  SVC_API_URL: text('web-url', { default: 'http://127.0.0.1:3000' }),
  SVC_API_KEY: Type.String({ minLength: 1, secret: true }),
})

function text(format: keyof typeof SETTING_FORMATS, options: Omit<StringOptions, 'format'> = {}) {
  return Type.String({ ...options, format })
}

function count(options: { minimum: number; maximum: number; default: number }) {
  return Type.Integer(options)
}

function perMinute(limit: number) {
  return count({ minimum: 1, maximum: 1_000_000, default: limit })
}

/** With port 0, for tests, the system selects a free port. */
function port(number: number) {
  return count({ minimum: 0, maximum: 65_535, default: number })
}
