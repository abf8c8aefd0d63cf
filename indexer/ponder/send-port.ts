import http from 'node:http'

/**
 * Sends the port of Ponder's HTTP server to the daemon over the IPC channel. Ponder uses any free port, and
 * writes its choice only to a log that also has a line per block. Ponder creates the server with `http.createServer`,
 * after another server that only tests a port (0.16.10, build/index.js and server/index.js), so the last message
 * counts.
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
