import type { Socket } from 'node:net'

/** Types of the messages ErrorResponse, ParameterStatus and ReadyForQuery. */
const ERROR_RESPONSE = 'E'.charCodeAt(0)
const PARAMETER_STATUS = 'S'.charCodeAt(0)
const READY_FOR_QUERY = 'Z'.charCodeAt(0)

/**
 * Contents of such messages: SQLSTATE 25006 (read_only_sql_transaction), and the parameters of a session that accepts
 * no writes.
 */
const READ_ONLY_ERROR = Buffer.from('\0C25006\0')
const READ_ONLY_PARAMETERS = ['in_hot_standby', 'default_transaction_read_only'].map((name) =>
  Buffer.from(`${name}\0on\0`),
)

/** A message's type and length. */
const HEADER_BYTES = 5

/** Maximum bytes of a message that are kept. The relevant fields are near the start. */
const MAX_KEPT_BYTES = 8_192

/**
 * Destroys a socket to PostgreSQL if its session accepts no writes: the server reports this when the session opens, or
 * rejects a write (25006).
 *
 * The server is then not the primary: a pooler, a proxy or a name has led to a standby, or a killed primary has
 * restarted in recovery. The driver would use the session again, although it rejects every further write. The next
 * query opens another session. The rule is here because the driver does not report which connection a query used. The
 * driver's own `target_session_attrs=read-write` accepts a standby of PostgreSQL 14 and newer, and because we rename
 * columns, it waits forever for a pooler that does not report the parameters (3.4.9).
 *
 * @see https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
export function endReadOnlySession(socket: Socket): void {
  const emit = socket.emit.bind(socket)
  const reportsReadOnly = createMessageReader()
  socket.emit = (event: string | symbol, ...values: unknown[]): boolean => {
    const isReadOnly = event === 'data' && Buffer.isBuffer(values[0]) && reportsReadOnly(values[0])
    // Emit first, because the caller of a rejected write must get the server's own error. The socket is destroyed in a
    // later turn, after the caller has handled the error. Otherwise the driver would write its rollback to a destroyed
    // socket.
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
 * Creates a function that reads the server's messages in parts. It returns whether a part reports that the session
 * accepts no writes, or completes a write that was rejected for this reason.
 *
 * A rejected write is complete at ReadyForQuery. Until then the driver keeps the error. If the connection ended
 * earlier, the driver would fail the first query of the next session with it (postgres 3.4.9).
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
