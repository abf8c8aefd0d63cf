import type { Socket } from 'node:net'

/** Message types of the PostgreSQL protocol. */
const ERROR_RESPONSE = 'E'.charCodeAt(0)
const PARAMETER_STATUS = 'S'.charCodeAt(0)
const READY_FOR_QUERY = 'Z'.charCodeAt(0)

/**
 * Message contents that report a session without writes: SQLSTATE 25006 (read_only_sql_transaction), and two
 * parameters.
 */
const READ_ONLY_ERROR = Buffer.from('\0C25006\0')
const READ_ONLY_PARAMETERS = ['in_hot_standby', 'default_transaction_read_only'].map((name) =>
  Buffer.from(`${name}\0on\0`),
)

const HEADER_BYTES = 5

/**
 * Maximum size of a message that is kept until it is complete. If a message is larger, only the bytes received so far
 * are read; the relevant fields are near its start.
 */
const MAX_KEPT_BYTES = 8_192

/**
 * Destroys a socket to PostgreSQL if its session accepts no writes. The server reports this when the session opens, or
 * when it rejects a write (25006).
 *
 * Such a server is not the primary: a pooler, a proxy or a host name led to a standby, or a killed primary restarted in
 * recovery. The driver would reuse the session, which rejects every further write. Without the socket, the next query
 * opens another session. The check is on the socket, because the driver does not report which connection a query used.
 * The driver's own `target_session_attrs=read-write` (3.4.9) accepts a standby of PostgreSQL 14 and newer. Because we
 * rename columns, it also waits forever for a pooler that does not report the parameters.
 *
 * @see https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
export function endReadOnlySession(socket: Socket): void {
  const emit = socket.emit.bind(socket)
  const reportsReadOnly = createMessageReader()
  socket.emit = (event: string | symbol, ...values: unknown[]): boolean => {
    const isReadOnly = event === 'data' && Buffer.isBuffer(values[0]) && reportsReadOnly(values[0])
    // Emit first, because the caller of a rejected write must get the server's own error. The socket is destroyed in a
    // later event-loop turn, after the caller has handled the error. Otherwise the driver would write its rollback to a
    // destroyed socket.
    const isHeard = emit(event, ...values)
    if (isReadOnly) setImmediate(() => socket.destroy(createReadOnlyError()))
    return isHeard
  }
}

function createReadOnlyError(): Error {
  const error = new Error('the server of this connection accepts no writes: it is not the primary')
  return Object.assign(error, { code: '25006' })
}

/**
 * Creates a function that reads the server's messages from parts of the byte stream. It returns whether a part reports
 * that the session accepts no writes, or completes a write that was rejected for this reason.
 *
 * A rejected write is complete at ReadyForQuery, and the driver keeps the error until then. If the connection ended
 * earlier, the driver would fail the first query of the next session with that error (postgres 3.4.9).
 */
function createMessageReader(): (part: Buffer) => boolean {
  let kept: Buffer = Buffer.alloc(0)
  let missing = 0
  let isRejected = false
  return (part) => {
    const bytes = kept.length === 0 ? part : Buffer.concat([kept, part])
    let at = Math.min(missing, bytes.length)
    missing -= at
    let isReadOnly = false
    while (bytes.length - at >= HEADER_BYTES) {
      const end = at + 1 + bytes.readUInt32BE(at + 1)
      if (end > bytes.length && isInteresting(bytes[at]) && end - at <= MAX_KEPT_BYTES) break
      const message = bytes.subarray(at, end)
      if (isReadOnlyError(message)) isRejected = true
      if (isReadOnlyParameter(message) || (isRejected && message[0] === READY_FOR_QUERY)) isReadOnly = true
      missing = Math.max(0, end - bytes.length)
      at = Math.min(end, bytes.length)
    }
    kept = Buffer.from(bytes.subarray(at))
    return isReadOnly
  }
}

function isInteresting(type: number | undefined): boolean {
  return type === ERROR_RESPONSE || type === PARAMETER_STATUS || type === READY_FOR_QUERY
}

function isReadOnlyError(message: Buffer): boolean {
  return message[0] === ERROR_RESPONSE && message.includes(READ_ONLY_ERROR)
}

function isReadOnlyParameter(message: Buffer): boolean {
  if (message[0] !== PARAMETER_STATUS) return false
  return READ_ONLY_PARAMETERS.some((parameter) => message.subarray(HEADER_BYTES).equals(parameter))
}
