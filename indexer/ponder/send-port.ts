import http from 'node:http'

/**
 * Sends the port of Ponder's HTTP server to the daemon over the IPC channel. Ponder chooses any free port, and writes
 * the port only to a log that also has a line per block. With `http.createServer`, Ponder first creates a server only
 * to test a port, and then its HTTP server (0.16.10, build/index.js and server/index.js). The last message therefore
 * has the right port.
 */
export function sendPort(self: NodeJS.Process): void {
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
