import postgres from 'postgres'
import { openSocket, placeOf } from './open-socket.ts'
import { VALUE_TYPES, type ValueTypes } from './value-types.ts'

/** A pool of connections; `begin` through `inTransaction`. */
export type Sql = postgres.Sql<ValueTypes>

/** What runs a query: the pool or a transaction. Every query function takes it first. */
export type Db = postgres.ISql<ValueTypes>

type ConnectOptions = {
  readonly url: string
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string
  readonly maxConnections: number
  /** Never renew a session that works; by default the driver does every 30 to 60 minutes, and session locks go with it. */
  readonly keepsSessions?: boolean
  /** PostgreSQL ends a session of which it has heard nothing for so long; by default it waits for ever. */
  readonly idleSessionTimeoutMs?: number
  /** Called for every NOTICE of the server; by default they are dropped. */
  readonly onNotice?: (notice: postgres.Notice) => void
  /** Makes what carries a session to the server; by default a TCP connection to the URL's host and port. */
  readonly openSocket?: () => NodeJS.EventEmitter
}

/** Longest statement of a running process: far above the slowest indexed query, far below a stuck deploy. */
const STATEMENT_TIMEOUT_MS = 30_000

/** No transaction waits for anything outside the database, so one that idles this long has lost its owner. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 15_000

/**
 * When a peer is gone whose machine or network is: 10 s of silence, then three questions 5 s apart. On Linux the default
 * is two hours, for which a lost daemon would keep its locks. What was sent and not acknowledged ends it in 20 s.
 */
const KEEPALIVE = {
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 20_000,
}

/** The same on our side, in seconds; Node then asks each second, ten times. */
const OUR_KEEPALIVE_SECONDS = 10

/**
 * Opens a pool on PostgreSQL; it connects with the first query, and `sql.end()` closes it.
 *
 * The rules of the values, here and nowhere else:
 * - Columns are snake_case in SQL and camelCase in TypeScript. Keys inside `json` columns are left as they are.
 * - `numeric` is money and comes as `bigint`; as a parameter it goes through `sql.types.numeric(amount)`. A numeric
 *   that can have a fraction (a percent) is selected as `::text` and given as text; reading it bare throws.
 * - `int8` is a count, a block or a chain id and comes as a safe `number`. A bare `bigint` parameter throws,
 *   because the driver would send it as int8, which ends at 9.2 tokens of 18 decimals.
 * - `timestamptz` comes as a `Date`, which has milliseconds only; a keyset cursor needs its microseconds as text.
 * - `json` comes parsed, and goes in as `sql.json(value)`.
 * - Arrays are of text, int4, int8 and numeric, of one dimension; of another type they come as PostgreSQL writes them, and
 *   are refused as parameters. Numerics go in as texts, or through `sql.types.numerics(amounts)`.
 * - `undefined` as a parameter throws; SQL's absence is `null`.
 */
export function connect(options: ConnectOptions): Sql {
  const sql = postgres(options.url, {
    max: options.maxConnections,
    onnotice: options.onNotice ?? (() => {}),
    connect_timeout: 10,
    keep_alive: OUR_KEEPALIVE_SECONDS,
    ...(options.keepsSessions === true && { max_lifetime: null }),
    ...socketOf(options),
    // The driver's ready-made `postgres.camel` would also rename the keys inside json values.
    transform: { column: { from: postgres.toCamel, to: postgres.fromCamel } },
    connection: {
      application_name: options.applicationName,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
      ...KEEPALIVE,
      ...(options.idleSessionTimeoutMs !== undefined && {
        idle_session_timeout: options.idleSessionTimeoutMs,
      }),
    },
    types: VALUE_TYPES,
    // The driver would ask for the types of arrays as a connection's first query, whose failure nobody hears of: a
    // connection that was lost at that moment ended the process (found 2026-11-23 by simulation).
    fetch_types: false,
  })
  const reserve = sql.reserve.bind(sql)
  return Object.assign(sql, {
    reserve: async () => {
      // Without those types the driver never gives a connection that it opens for this alone.
      await sql`select 1`
      return reserve()
    },
  })
}

/** What carries the pool's sessions, unless it is the driver's own. */
function socketOf({ url, openSocket: opens }: ConnectOptions): { socket?: () => NodeJS.EventEmitter } {
  const place = placeOf(url)
  if (opens !== undefined) return { socket: opens }
  if (place === null) return {}
  return { socket: () => openSocket({ ...place, keepAliveMs: OUR_KEEPALIVE_SECONDS * 1000 }) }
}

/**
 * Tells whether work that failed with this error may succeed if it is done again from its start.
 *
 * True for a deadlock, a serialization failure, a server that is stopping, starting or short of connections, memory or
 * disk, a transaction that idled too long, and a connection that is lost or cannot be had.
 * After a lost connection the work may have been committed: only what may run twice is to be repeated.
 *
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export function isRetryable(error: unknown): boolean {
  const code = errorCode(error)
  return code !== null && (RETRYABLE_CODES.has(code) || /^(08|53)[0-9A-Z]{3}$/.test(code))
}

/**
 * Tells whether the database was away, as a whole: it is stopping or starting, has no connection left, or the connection is
 * lost or cannot be had. Whatever asks it then fails.
 */
export function isAway(error: unknown): boolean {
  const code = errorCode(error)
  return code !== null && (AWAY_CODES.has(code) || code.startsWith('08'))
}

/**
 * Tells whether the database, or its driver, refused the very values that a query gave it, and would again.
 *
 * True for the SQLSTATE classes 21 (cardinality), 22 (data), 23 (integrity constraints) and P0 (raised by our own
 * functions), and for a parameter that is `undefined`.
 */
export function isOfValues(error: unknown): boolean {
  const code = errorCode(error)
  return code !== null && (code === 'UNDEFINED_VALUE' || /^(21|22|23|P0)[0-9A-Z]{3}$/.test(code))
}

/** Tells whether a query failed with the connection that it ran on. */
export function isConnectionLost(error: unknown): boolean {
  return LOST_CODES.has(errorCode(error) ?? '')
}

/** Tells whether a query failed because nobody answered, neither it nor the attempt to connect. */
export function saysNothing(error: unknown): boolean {
  const code = errorCode(error)
  return code === 'CONNECT_TIMEOUT' || code === 'ETIMEDOUT'
}

/** Answers the SQLSTATE or the driver's code of an error, or `null` if it has none. */
export function errorCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null
  return typeof error.code === 'string' ? error.code : null
}

/** The driver's and Node's words for class 08, once a connection was open. */
const LOST_CODES: ReadonlySet<string> = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
])

const AWAY_CODES: ReadonlySet<string> = new Set([
  '53300', // too_many_connections
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN', // no name server answers
  'ENOTFOUND', // nor does a name that is moved in a failover
  ...LOST_CODES,
])

const RETRYABLE_CODES: ReadonlySet<string> = new Set([
  '25P03', // idle_in_transaction_session_timeout
  '40P01', // deadlock_detected
  '40001', // serialization_failure
  ...AWAY_CODES,
])
