import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to PostgreSQL that a test can cut and mend. */
export type DatabaseLink = {
  /** Answers the URL of the same database by this way. */
  readonly through: (url: string) => string
  /** Ends or resets every connection, and refuses new ones until it is mended. */
  readonly cut: (how?: 'end' | 'reset') => Promise<void>
  /** Keeps every connection and lets new ones open, and passes nothing on any more. */
  readonly silence: () => void
  readonly mend: () => Promise<void>
}

/** Opens the way; `through` tells it where it leads. */
export async function createDatabaseLink(): Promise<DatabaseLink> {
  const sockets = new Set<Socket>()
  let targetPort = 0
  let isSilent = false
  const server = createServer((client) => {
    const database = connect(targetPort, '127.0.0.1')
    for (const [from, to] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(from)
      from.on('error', () => to.destroy())
      from.on('close', () => {
        to.destroy()
        sockets.delete(from)
      })
      if (!isSilent) from.pipe(to)
    }
  })
  const listen = (port: number): Promise<void> =>
    new Promise((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = server.address() as AddressInfo
  return {
    through: (text) => {
      const url = new URL(text)
      targetPort = Number(url.port)
      url.port = String(port)
      return url.href
    },
    cut: async (how = 'end') => {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) how === 'end' ? socket.destroy() : socket.resetAndDestroy()
      await closed
    },
    silence: () => {
      isSilent = true
      for (const socket of sockets) socket.unpipe()
    },
    mend: () => listen(port),
  }
}
