import postgres from 'postgres'
import { connectSocket, findServerAddress } from './connect-socket.ts'
import type { TlsMode } from './connect-tls.ts'
import { VALUE_TYPES, type ValueTypes } from './value-types.ts'

/** A pool of connections. Start transactions with `inTransaction`, not with `begin`. */
export type Sql = postgres.Sql<ValueTypes>

/** A query executor: the pool or a transaction. Every query function takes it as its first argument. */
export type Db = postgres.ISql<ValueTypes>

type ConnectOptions = {
  readonly url: string
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string
  readonly maxConnections: number
  /**
   * Whether healthy sessions stay open. By default, the driver renews them every 30 to 60 minutes, which drops session
   * locks.
   */
  readonly keepsSessions?: boolean
  /** By default, PostgreSQL never ends an idle session. */
  readonly idleSessionTimeoutMs?: number
  /** By default, the server's notices are dropped. */
  readonly onNotice?: (notice: postgres.Notice) => void
  /** By default, opens a TCP connection to the URL's host and port. */
  readonly openSocket?: () => NodeJS.EventEmitter
  /** Called whenever either side has closed a connection of the pool. */
  readonly onClosed?: () => void
  /** Called for notifications on channels that a session listens to without `listen`. */
  readonly onNotification?: (channel: string, payload: string) => void
  /** Whether a server in recovery, which rejects all writes, is accepted. */
  readonly acceptsStandby?: boolean
  /** Must be `false` for a pooler, which may run a statement in a session in which the statement was not prepared. */
  readonly preparesStatements?: boolean
}

/**
 * Much longer than the slowest indexed query takes, and much shorter than anyone should wait for a stuck deployment.
 */
const STATEMENT_TIMEOUT_MS = 30_000

/**
 * No transaction waits for anything outside the database, so a transaction that is idle for this long has lost its
 * client.
 */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 15_000

/**
 * Settings of every session, which each process reads back when it starts (`session-check.ts`). PostgreSQL's default
 * search path begins with a schema named like the user. Ponder's role may create schemas, so with that default it could
 * hide another role's tables.
 */
export const REQUESTED_SETTINGS = {
  statement_timeout: `${STATEMENT_TIMEOUT_MS / 1000}s`,
  idle_in_transaction_session_timeout: `${IDLE_IN_TRANSACTION_TIMEOUT_MS / 1000}s`,
  search_path: 'public, pg_temp',
  TimeZone: 'UTC',
} as const

/**
 * Server settings that detect a lost peer or network: after 10 s of silence, three probes 5 s apart. By default, Linux
 * waits two hours, during which a lost daemon would keep its locks. Unacknowledged data ends the connection after 20 s.
 */
const KEEPALIVE = {
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 20_000,
}

/**
 * Returns the seconds to wait before reconnecting after this number of failures, at most 1. The driver's default grows
 * to 20 s, and the first charge after a failover would wait that long.
 */
function getReconnectPause(failures: number): number {
  return (0.5 + Math.random() / 2) * Math.min(3 ** failures / 100, 1)
}

/** After this delay, Node probes once a second, ten times. */
const OUR_KEEPALIVE_SECONDS = 10

/**
 * Opens a pool on PostgreSQL. The pool connects with the first query; `sql.end()` closes it.
 *
 * This is the only place that defines how values are converted:
 * - Columns are snake_case in SQL and camelCase in TypeScript. Keys inside `json` columns are not renamed.
 * - `numeric` is money and is returned as `bigint`; pass it as `sql.types.numeric(amount)`. A numeric that can have a
 *   fraction, such as a percent, must be selected as `::text` and passed as text; reading it without a cast throws.
 * - `int8` is a count, a block or a chain id and is returned as a safe `number`. A `bigint` parameter without a type
 *   throws, because the driver would send it as int8, which holds at most 9.2 tokens with 18 decimals.
 * - `timestamptz` is returned as a `Date`, which has only milliseconds; a keyset cursor must select the microseconds as
 *   text.
 * - `json` is returned parsed; pass it as `sql.json(value)`.
 * - Arrays have one dimension and contain text, int4, int8 or numeric. Arrays of other types are returned in
 *   PostgreSQL's text form and rejected as parameters. Pass numerics as texts, or by `sql.types.numerics(amounts)`.
 * - An `undefined` parameter throws; use `null` for SQL's null.
 */
export function connect(options: ConnectOptions): Sql {
  const sql = postgres(options.url, {
    max: options.maxConnections,
    onnotice: options.onNotice ?? (() => {}),
    connect_timeout: 10,
    backoff: getReconnectPause,
    keep_alive: OUR_KEEPALIVE_SECONDS,
    ...(options.keepsSessions === true && { max_lifetime: null }),
    ...socketOf(options),
    ...(options.preparesStatements === false && { prepare: false }),
    ...(options.onClosed !== undefined && { onclose: options.onClosed }),
    ...(options.onNotification !== undefined && { onnotify: options.onNotification }),
    // Not `postgres.camel`, because it would also rename the keys inside json values.
    transform: { column: { from: postgres.toCamel, to: postgres.fromCamel } },
    connection: {
      application_name: options.applicationName,
      ...REQUESTED_SETTINGS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
      ...KEEPALIVE,
      ...(options.idleSessionTimeoutMs !== undefined && {
        idle_session_timeout: options.idleSessionTimeoutMs,
      }),
    },
    types: VALUE_TYPES,
    // With `fetch_types: true`, the driver fetches the array types in the first query of a connection. It does not
    // handle a failure of that query: a connection that was lost at that moment ended the process (found 2026-11-23 by
    // simulation).
    fetch_types: false,
  })
  const reserve = sql.reserve.bind(sql)
  return Object.assign(sql, {
    reserve: async () => {
      // With `fetch_types: false`, the driver never hands out a connection that it opened only for `reserve`.
      await sql`select 1`
      return reserve()
    },
  })
}

/**
 * Returns the options that limit the pool to sessions of a primary, unless it accepts a standby. Our own socket ends
 * other sessions; where it cannot check them, the driver's `target_session_attrs` does.
 */
function socketOf(options: ConnectOptions) {
  const { url, openSocket: opens, acceptsStandby = false } = options
  const place = findServerAddress(url)
  const attributes = acceptsStandby ? {} : { target_session_attrs: 'primary' as const }
  if (opens !== undefined) return { socket: opens, ...attributes }
  if (place === null) return attributes
  const tls = findTlsMode(url)
  const at = { ...place, keepAliveMs: OUR_KEEPALIVE_SECONDS * 1000 }
  // The driver encrypts if the server accepts TLS. Our socket then sees only encrypted bytes, so the driver must check
  // the session.
  if (tls === 'negotiated')
    return { socket: () => connectSocket({ ...at, acceptsStandby: true, tls: null }), ...attributes }
  return { ssl: false as const, socket: () => connectSocket({ ...at, acceptsStandby, tls }) }
}

/**
 * Returns the encryption mode that the driver reads from a URL; `null` without encryption. `require` does not verify
 * the certificate; `verify-ca`, `verify-full` and unknown words do.
 */
function findTlsMode(url: string): TlsMode | 'negotiated' | null {
  const { searchParams } = new URL(url)
  const root = searchParams.get('sslrootcert') === 'system' ? 'verify-full' : null
  const mode = root ?? searchParams.get('sslmode') ?? searchParams.get('ssl') ?? 'disable'
  if (mode === 'disable' || mode === 'false') return null
  if (mode === 'allow' || mode === 'prefer') return 'negotiated'
  return mode === 'require' ? 'require' : 'verify-full'
}

/**
 * Returns whether work that failed with this error can succeed if it is repeated from the start.
 *
 * True for a deadlock, a serialization failure, a server that is stopping, starting, read-only or short of connections,
 * memory or disk, a transaction that was idle too long, and a connection that was lost or could not be opened. After a
 * lost connection the work might have been committed, so only work that may run twice may be repeated.
 *
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export function isRetryable(error: unknown): boolean {
  const code = errorCode(error)
  return code !== null && (RETRYABLE_CODES.has(code) || /^(08|53)[0-9A-Z]{3}$/.test(code))
}

/**
 * Returns whether every query, or every write, fails: the database is stopping, starting or read-only, has no free
 * connection, or the connection was lost or could not be opened.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  const code = errorCode(error)
  return code !== null && (AWAY_CODES.has(code) || code.startsWith('08'))
}

/**
 * Returns whether the database or its driver rejected the values of a query, and would reject them again.
 *
 * True for the SQLSTATE classes 21 (cardinality), 22 (data), 23 (integrity constraints) and P0 (raised by our own
 * functions), and for a parameter that is `undefined`.
 */
export function isInvalidValueError(error: unknown): boolean {
  const code = errorCode(error)
  return code !== null && (code === 'UNDEFINED_VALUE' || /^(21|22|23|P0)[0-9A-Z]{3}$/.test(code))
}

/** Returns whether a query failed because its connection was lost. */
export function isConnectionLost(error: unknown): boolean {
  return LOST_CODES.has(errorCode(error) ?? '')
}

/** Returns whether no response arrived to a query or to an attempt to connect. */
export function isTimeout(error: unknown): boolean {
  const code = errorCode(error)
  return code === 'CONNECT_TIMEOUT' || code === 'ETIMEDOUT'
}

/** Returns the SQLSTATE or the driver's code of an error; `null` if it has no code. */
export function errorCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null
  return typeof error.code === 'string' ? error.code : null
}

/** Codes with which the driver and Node report the loss of an open connection, as SQLSTATE class 08 does. */
const LOST_CODES: ReadonlySet<string> = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
])

const AWAY_CODES: ReadonlySet<string> = new Set([
  '25006', // read_only_sql_transaction: a primary in crash recovery, or a standby that was reached by accident
  '53300', // too_many_connections
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN', // no name server responds
  'ENOTFOUND', // a host name whose address changes in a failover
  ...LOST_CODES,
])

const RETRYABLE_CODES: ReadonlySet<string> = new Set([
  '25P03', // idle_in_transaction_session_timeout
  '40P01', // deadlock_detected
  '40001', // serialization_failure
  ...AWAY_CODES,
])
