import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy to PostgreSQL that a test can cut and restore. */
export type DatabaseLink = {
  /** Sets this database as the proxy's target, and returns its URL through the proxy. */
  readonly through: (url: string) => string
  /** Closes or resets every connection, and refuses new connections until `mend` is called. */
  readonly cut: (how?: 'end' | 'reset') => Promise<void>
  /** Permanently stops forwarding the given traffic, but keeps every connection and accepts new connections. */
  readonly silence: (traffic?: 'everything' | 'requests' | 'responses') => void
  /** Accepts connections again after `cut`. Does not undo `silence`. */
  readonly mend: () => Promise<void>
}

/** Starts the proxy. It has no target until `through` is called. */
export async function createDatabaseLink(): Promise<DatabaseLink> {
  const sockets = new Map<Socket, 'requests' | 'responses'>()
  let targetPort = 0
  const silent = new Set<'requests' | 'responses'>()
  const server = createServer((client) => {
    const database = connect(targetPort, '127.0.0.1')
    for (const [from, to, direction] of [
      [client, database, 'requests'],
      [database, client, 'responses'],
    ] as const) {
      sockets.set(from, direction)
      from.on('error', () => to.destroy())
      from.on('close', () => {
        to.destroy()
        sockets.delete(from)
      })
      if (!silent.has(direction)) from.pipe(to)
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
      for (const socket of sockets.keys()) how === 'end' ? socket.destroy() : socket.resetAndDestroy()
      await closed
    },
    silence: (traffic = 'everything') => {
      for (const way of ['requests', 'responses'] as const)
        if (traffic === 'everything' || traffic === way) silent.add(way)
      for (const [socket, way] of sockets) if (silent.has(way)) socket.unpipe()
    },
    mend: () => listen(port),
  }
}
