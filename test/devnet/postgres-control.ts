import { rm } from 'node:fs/promises'

import { type RunningPostgres, runningServer, startPostgres } from './embedded-postgres.ts'
import { waitFor } from './wait-for.ts'

/** The devnet's PostgreSQL, which can be killed and started again with the same data and port. */
export type PostgresControl = {
  /** The server of the last start. */
  readonly server: RunningPostgres
  /** Sends SIGKILL, like a crash. Resolves when the server's process has ended. */
  readonly kill: () => Promise<void>
  readonly restart: () => Promise<void>
  /** Stops the server and removes its data. */
  readonly stop: () => Promise<void>
}

const TIMEOUT_MS = 60_000

/** Starts an empty PostgreSQL that ends with this process. */
export async function controlPostgres(options: {
  readonly dataDirectory: string
  readonly port: number
}): Promise<PostgresControl> {
  const start = (port: number, dataDirectory: string) => startPostgres({ dataDirectory, port, fsync: false })
  let server = await start(options.port, options.dataDirectory)
  const { dataDirectory, port } = server
  return {
    get server() {
      return server
    },
    kill: async () => {
      server.kill()
      await waitFor(() => runningServer(dataDirectory) === null, {
        what: 'PostgreSQL to die',
        timeoutMs: TIMEOUT_MS,
      })
    },
    restart: async () => {
      // A start fails until the last child process of the killed server has released the shared memory.
      server = await waitFor(() => start(port, dataDirectory), {
        what: 'PostgreSQL to start again',
        timeoutMs: TIMEOUT_MS,
        intervalMs: 100,
      })
    },
    stop: async () => {
      await server.stop()
      await rm(dataDirectory, { recursive: true, force: true })
    },
  }
}
