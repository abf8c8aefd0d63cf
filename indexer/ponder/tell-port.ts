import http from 'node:http'

/**
 * Tells the daemon, over the IPC channel, on which port Ponder's HTTP server listens: it is told to take any free one
 * and writes which to nothing but a log of every block. Ponder makes it by `http.createServer`, after another that only
 * tries a port (0.16.10, build/index.js and server/index.js); the last word counts.
 */
export function tellPort(self: NodeJS.Process): void {
  const createServer = http.createServer
  http.createServer = ((...args: Parameters<typeof createServer>) => {
    const server = createServer(...args)
    server.on('listening', () => {
      const address = server.address()
      if (self.connected && typeof address === 'object' && address !== null)
        self.send?.({ port: address.port })
    })
    return server
  }) as typeof createServer
}
