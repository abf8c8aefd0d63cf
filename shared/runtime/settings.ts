import { type StringOptions, Type } from '@sinclair/typebox'
import { NETWORKS, type Network } from '../domain/networks.ts'
import type { SETTING_FORMATS } from './setting-formats.ts'

/*
 * Every environment variable there is, with its limits and its default: one schema per process.
 * `.env.example` explains them to operators; a test holds the two lists equal.
 */

/** What an organization may ask of single endpoints besides, where nothing else is configured. */
export const EXTRA_LIMITS_PER_MINUTE = { transferability: 20, metrics: 60, checks: 100 } as const

/** Of everything that opens sessions. */
const SESSIONS = {
  /** `off` accepts sessions whose confirmed commits can be lost: for tests alone. */
  SYNCHRONOUS_COMMIT_CHECK: Type.Union([Type.Literal('on'), Type.Literal('off')], { default: 'on' }),
}

const EVERY_PROCESS = {
  ...SESSIONS,
  LOG_LEVEL: Type.Union(
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal'].map((level) => Type.Literal(level)),
    { default: 'info' },
  ),
  /** Where `/livez`, `/readyz` and `/metrics` listen: never on a public interface. */
  INTERNAL_HOST: Type.String({ default: '127.0.0.1' }),
  NETWORKS_CONFIG: Type.Optional(Type.String()),
  DEPLOYMENTS: Type.Optional(Type.String()),
  DATABASE_MAX_CONNECTIONS: count({ minimum: 2, maximum: 200, default: 10 }),
  /** Of both: events carry the same Charge as reads. */
  CHECKOUT_BASE_URL: Type.Optional(text('web-url')),
  /** Of both, for the same reason. */
  SWAP_PROVIDER: Type.Optional(text('swap-provider')),
  WEBHOOK_ALLOWED_TARGETS: text('allowed-targets', { default: '' }),
  WEBHOOK_DNS_SERVERS: text('dns-servers', { default: '' }),
  // Chain data are stale when our head has not advanced for this many block times (decisions 2.4).
  STALE_AFTER_BLOCKS: count({ minimum: 2, maximum: 1000, default: 20 }),
  STALE_AFTER_MIN_SECONDS: count({ minimum: 1, maximum: 3600, default: 120 }),
}

const TREASURY = {
  TREASURY_ADDRESS: text('evm-address'),
  TREASURY_ADDRESS_TRON: Type.Optional(text('tron-address')),
}

/** What the API makes charges with, and the daemon believes of them. */
const TERMS = {
  ...TREASURY,
  // Decisions 1.5 and 1.7.
  FEE_PERCENT: text('fee-percent', { default: '1' }),
  ESCROW_FEE_PERCENT: text('fee-percent', { default: '0.5' }),
  DISTRIBUTOR_FEE_PERCENT: text('incentive-percent', { default: '0.1' }),
}

/** What a payout must be worth, and what it may cost. */
const PAYOUT_BOUNDS = {
  /** On every network that is not overridden itself; without it the registry's. */
  MAX_FEE_PER_GAS_GWEI: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 100_000 })),
  /** Late and underpaid sums below it wait for more: dust must not burn our gas. */
  MINIMUM_PAYOUT: text('dollars', { default: '1' }),
}

/** What the API reads. */
export const API_SETTINGS = Type.Object({
  ...EVERY_PROCESS,
  ...TERMS,
  API_DATABASE_URL: text('postgres-url', { secret: true }),
  API_HOST: Type.String({ default: '127.0.0.1' }),
  API_PORT: port(3000),
  API_INTERNAL_PORT: port(9464),
  /** With 10 s for what is under way and 5 s for the pool it stays below the lifecycle's bound of 25 s. */
  API_DRAIN_SECONDS: count({ minimum: 0, maximum: 8, default: 0 }),
  /** How many proxies of ours append to `X-Forwarded-For`; 0 believes none of it. */
  TRUST_PROXY: count({ minimum: 0, maximum: 10, default: 0 }),
  CURSOR_SECRET: text('cursor-secrets', { secret: true }),
  WEBHOOK_SEAL_PUBLIC_KEY: Type.Optional(text('seal-key')),
  /** Smaller live charges are refused: each is paid out with our gas, however small. */
  MINIMUM_CHARGE: Type.Optional(text('dollars')),
  /** Of the swap provider's account; SWAP_PROVIDER needs it. */
  SWAP_API_KEY: Type.Optional(text('header-value', { secret: true })),
  SWAP_BASE_URL: text('web-url', { default: 'https://api.0x.org' }),
  SWAP_SLIPPAGE_BPS: count({ minimum: 1, maximum: 1000, default: 100 }),
  /** Ours, of what a swap buys; 0x itself allows up to 1000 by default. */
  SWAP_FEE_BPS: count({ minimum: 0, maximum: 1000, default: 0 }),
  SWAP_FEE_RECIPIENT: Type.Optional(text('evm-address')),
  // Decisions 7.2.
  RATE_LIMIT_PER_MINUTE: perMinute(100),
  RATE_LIMIT_TRANSFERABILITY_PER_MINUTE: perMinute(EXTRA_LIMITS_PER_MINUTE.transferability),
  RATE_LIMIT_METRICS_PER_MINUTE: perMinute(EXTRA_LIMITS_PER_MINUTE.metrics),
  /** Each makes the daemon ask nodes of every network that the charge accepts. */
  RATE_LIMIT_CHECKS_PER_MINUTE: perMinute(EXTRA_LIMITS_PER_MINUTE.checks),
  /** Of each address, behind which there may be many payers, and of each charge; a page asks three times a minute. */
  RATE_LIMIT_CHECKOUT_PER_MINUTE: perMinute(300),
  /** What one metrics query may take (metrics-query.md). */
  METRICS_TIMEOUT_SECONDS: count({ minimum: 1, maximum: 25, default: 5 }),
  /** What a list brings into memory at once; one charge is shown however large. */
  PAGE_MAX_KIB: count({ minimum: 64, maximum: 65_536, default: 1024 }),
  /** What waits for one stream to be read. */
  STREAM_UNREAD_MAX_KIB: count({ minimum: 64, maximum: 65_536, default: 4096 }),
  /** What waits for all answers and streams of the process to be read. */
  UNREAD_MAX_MIB: count({ minimum: 1, maximum: 65_536, default: 64 }),
  UNREAD_TIMEOUT_SECONDS: count({ minimum: 1, maximum: 600, default: 30 }),
  REQUEST_TIMEOUT_SECONDS: count({ minimum: 1, maximum: 600, default: 30 }),
  MAX_CONNECTIONS: count({ minimum: 10, maximum: 1_000_000, default: 5000 }),
  MAX_CONNECTIONS_PER_ADDRESS: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  STREAMS_PER_KEY: count({ minimum: 1, maximum: 10_000, default: 20 }),
  /** Who may show payers' pages in a frame; by default nobody. */
  CHECKOUT_FRAME_ORIGINS: text('origins', { default: '' }),
  /** The browsers of payers fetch the pictures of products from wherever the merchant keeps them. */
  CHECKOUT_PRODUCT_IMAGES: Type.Union([Type.Literal('on'), Type.Literal('off')], { default: 'on' }),
  /** Clients of x402 pay below the pages of charges, where the daemon carries out what payers sign. */
  X402: Type.Union([Type.Literal('on'), Type.Literal('off')], { default: 'off' }),
  /** Of payers' pages: many payers may be behind one address, and a payer has few pages of one charge. */
  CHECKOUT_STREAMS_PER_ADDRESS: count({ minimum: 1, maximum: 100_000, default: 100 }),
  CHECKOUT_STREAMS_PER_CHARGE: count({ minimum: 1, maximum: 10_000, default: 20 }),
  STREAM_HEARTBEAT_SECONDS: count({ minimum: 1, maximum: 60, default: 15 }),
  STREAM_MAX_SECONDS: count({ minimum: 10, maximum: 86_400, default: 7200 }),
})

/** The least that is paid by signature on each network; a payment costs us its gas. */
const AUTHORIZATION_MINIMUMS = Object.fromEntries(
  NETWORKS.map((network) => [minimumSetting(network), Type.Optional(text('dollars'))]),
)

/** Answers the setting that names the least that is paid by signature on a network. */
export function minimumSetting(network: Network): `AUTHORIZATION_MINIMUM_${string}` {
  return `AUTHORIZATION_MINIMUM_${network.toUpperCase()}`
}

/** What the daemon reads. */
export const INDEXER_SETTINGS = Type.Object({
  ...EVERY_PROCESS,
  ...TERMS,
  INDEXER_DATABASE_URL: text('postgres-url', { secret: true }),
  /** All that the Ponder processes are given of what is secret. */
  PONDER_DATABASE_URL: text('postgres-url', { secret: true }),
  INDEXER_INTERNAL_PORT: port(9465),
  /** Pays gas and nothing else; without it payouts are left to keepers. */
  RELAYER_PRIVATE_KEY: Type.Optional(text('private-key', { secret: true })),
  /** Pays the gas of payments by signature, and can do nothing else. */
  AUTHORIZATION_RELAYER_KEY: Type.Optional(text('private-key', { secret: true })),
  /** By default none (decisions 8.6). */
  AUTHORIZATION_NETWORKS: text('networks', { default: '' }),
  /** Of each organization on each network; a payment counts 200,000. */
  AUTHORIZATION_DAILY_GAS: count({ minimum: 200_000, maximum: 1_000_000_000_000, default: 100_000_000 }),
  ...AUTHORIZATION_MINIMUMS,
  WEBHOOK_SEAL_PRIVATE_KEY: Type.Optional(text('seal-keys', { secret: true })),
  // Decisions 6.5.
  WEBHOOK_ATTEMPT_DELAYS: text('delays', { default: '0s,5m,30m,2h,24h' }),
  /** Attempts under way at once: a socket and a few kilobytes each. */
  WEBHOOK_CONCURRENCY: count({ minimum: 10, maximum: 2000, default: 200 }),
  /** Deliveries that are over are kept this long. */
  WEBHOOK_RETENTION_DAYS: count({ minimum: 2, maximum: 3650, default: 90 }),
  // Decisions 5.1.
  PAYOUT_GRACE_SECONDS: count({ minimum: 0, maximum: 86_400, default: 300 }),
  PAYOUT_ATTEMPT_DELAYS: text('delays', { default: '0s,30s,2m,10m,30m,1h,3h,6h' }),
  ...PAYOUT_BOUNDS,
  /** After this long without a block, wall time decides expiry for a network (decisions 3.4). */
  SILENT_NETWORK_MINUTES: count({ minimum: 1, maximum: 1440, default: 15 }),
  /** 337 MB resident were measured with 200 after 100,000 events. */
  PONDER_HEAP_MB: count({ minimum: 128, maximum: 8192, default: 256 }),
})

/** What every command line with a connection reads. */
export const SESSION_SETTINGS = Type.Object(SESSIONS)

/** What the operators' command lines read. */
export const OPERATOR_SETTINGS = Type.Object({
  ...TREASURY,
  OPERATOR_DATABASE_URL: text('postgres-url', { secret: true }),
})

/** What `npm run networks -- doctor` reads. */
export const DOCTOR_SETTINGS = Type.Object({
  ...PAYOUT_BOUNDS,
  OPERATOR_DATABASE_URL: text('postgres-url', { secret: true }),
})

/** What `npm run webhooks` reads. */
export const RESEAL_SETTINGS = Type.Object({
  OPERATOR_DATABASE_URL: text('postgres-url', { secret: true }),
  WEBHOOK_SEAL_PRIVATE_KEY: text('seal-keys', { secret: true }),
})

/** What `npm run migrate` reads. */
export const MIGRATION_SETTINGS = Type.Object({
  OWNER_DATABASE_URL: text('postgres-url', { secret: true }),
})

/** What `npm run keeper` reads: a keeper is a stranger, with a key of the API and an account of his own. */
export const KEEPER_SETTINGS = Type.Object({
  KEEPER_API_URL: text('web-url', { default: 'http://127.0.0.1:3000' }),
  KEEPER_API_KEY: Type.String({ minLength: 1, secret: true }),
  KEEPER_PRIVATE_KEY: text('private-key', { secret: true }),
})

/** What `npm run svc` reads. */
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

/** Port 0 is any free port, which tests use. */
function port(number: number) {
  return count({ minimum: 0, maximum: 65_535, default: number })
}
