import { isIP, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { connect, type TLSSocket } from 'node:tls'

/** The message that requests TLS: its length and request code. */
const TLS_REQUEST = Buffer.from('0000000804d2162f', 'hex')
const ACCEPTED = 'S'.charCodeAt(0)

/** Encryption modes. `verify-full` also checks the certificate and its host name. */
export type TlsMode = 'require' | 'verify-full'

/**
 * Encrypts a connection to PostgreSQL. The caller can write to the returned socket immediately.
 *
 * The driver could encrypt too, but `connect-socket.ts` would then see only encrypted bytes.
 *
 * @see https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-SSL
 */
export function encrypt(socket: Socket, { host, mode }: { host: string; mode: TlsMode }): TLSSocket {
  const encrypted = connect({
    ...{ socket: createCarrier(socket), host, rejectUnauthorized: mode === 'verify-full' },
    ...(isIP(host) === 0 && { servername: host }),
  })
  // Before the handshake has started, a TLS socket does not notice that the underlying socket has ended.
  socket.once('error', (error) => encrypted.destroy(error))
  socket.once('close', () => encrypted.destroy())
  encrypted.once('close', () => socket.destroy())
  return encrypted
}

/** Creates a stream over a socket. Bytes that are written before the server has accepted TLS wait until then. */
function createCarrier(socket: Socket): Duplex {
  const accepted = requestTls(socket)
  const carrier = new Duplex({
    read: () => void socket.resume(),
    write: (bytes, _, done) => {
      accepted.then(
        () => void socket.write(bytes as Buffer, done),
        () => undefined, // The error below destroys the socket, and with it this stream.
      )
    },
    final: (done) => void socket.end(done),
    destroy: (error, done) => {
      socket.destroy()
      done(error)
    },
  })
  accepted.then(
    () => {
      socket.on('data', (bytes) => carrier.push(bytes) || socket.pause())
      socket.on('end', () => carrier.push(null))
    },
    (error: Error) => socket.destroy(error),
  )
  return carrier
}

/**
 * Resolves when the server has accepted TLS. Rejects if its response contains further bytes, because they are
 * unencrypted.
 */
function requestTls(socket: Socket): Promise<void> {
  socket.write(TLS_REQUEST)
  return new Promise((resolve, reject) => {
    socket.once('close', () => reject(createTlsError('the connection was closed before TLS began')))
    socket.once('data', (answer: Buffer) => {
      if (answer.length === 1 && answer[0] === ACCEPTED) resolve()
      else reject(createTlsError('the server did not accept TLS, which the URL requires'))
    })
  })
}

function createTlsError(message: string): Error {
  return Object.assign(new Error(message), { code: 'ECONNRESET' })
}
