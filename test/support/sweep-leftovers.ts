import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runningServer, stopServer } from '../devnet/embedded-postgres.ts'
import { isAlive } from '../devnet/is-alive.ts'
import { getDataDirectory } from './data-place.ts'

/**
 * Stops the PostgreSQL servers of killed runs, and removes their data.
 *
 * @param prefix - prefix of the data directories' names, which contains the user's id; the process id follows
 */
export async function sweepLeftovers(prefix: string): Promise<void> {
  const place = getDataDirectory()
  const names = readdirSync(place).filter((name) => name.startsWith(prefix))
  for (const name of names.filter((other) => !isAlive(Number.parseInt(other.slice(prefix.length), 10)))) {
    const directory = join(place, name)
    const server = runningServer(directory)
    if (server) await stopServer(server.pid)
    rmSync(directory, { recursive: true, force: true })
  }
}
