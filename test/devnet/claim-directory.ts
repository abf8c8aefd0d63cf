import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, sep } from 'node:path'
import { runningServer, stopServer } from './embedded-postgres.ts'
import { findCommandLine } from './find-command-line.ts'

/** Content of `run.json`, which identifies the process that uses the directory. */
type Run = { readonly pid: number; readonly commandLine: string; readonly dataDirectory: string | null }

const RUN_FILE = 'run.json'

/** Names of the files and data directories that a devnet writes and removes. It removes nothing else. */
const OURS = /^(run\.json|devnet\.json(\.part)?|networks\.json|[a-z0-9-]+\.log|postgres-[0-9a-f]+)$/

/**
 * Claims a directory for this process. If a killed devnet used the directory, stops its database server and removes its
 * files, because the old database has blocks that the new chains lack.
 *
 * @throws {Error} if a devnet is running there, or if another user owns the directory and this process is not root
 */
export async function claimDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true })
  await requireOwner(directory)
  const run = await readRun(directory)
  if (run !== null && findCommandLine(run.pid) === run.commandLine) {
    throw new Error(`a devnet is running in ${directory} (process ${run.pid}): stop that devnet first`)
  }
  if (run?.dataDirectory) await removeDatabase(directory, run.dataDirectory)
  for (const name of await readdir(directory)) {
    if (OURS.test(name)) await rm(join(directory, name), { recursive: true, force: true })
  }
  await recordRun(directory, null)
}

/** Records the database's data directory, so that a later devnet can remove it. */
export async function recordRun(directory: string, dataDirectory: string | null): Promise<void> {
  const run: Run = { pid: process.pid, commandLine: findCommandLine(process.pid) ?? '', dataDirectory }
  await writeFile(join(directory, RUN_FILE), JSON.stringify(run))
}

export async function releaseDirectory(directory: string): Promise<void> {
  await rm(join(directory, RUN_FILE), { force: true })
}

/** Returns a random path for a new database, because an older server might still use its own directory. */
export function newDataDirectory(directory: string): string {
  return join(directory, `postgres-${randomBytes(4).toString('hex')}`)
}

async function requireOwner(directory: string): Promise<void> {
  const me = process.getuid?.()
  const { uid } = await stat(directory)
  if (me === undefined || me === 0 || uid === me) return
  throw new Error(
    `${directory} belongs to user ${uid}, but this process runs as user ${me}: remove the directory, or run as its owner`,
  )
}

async function readRun(directory: string): Promise<Run | null> {
  try {
    return JSON.parse(await readFile(join(directory, RUN_FILE), 'utf8')) as Run
  } catch {
    // The file is missing, or incomplete because its writer was killed: the directory is not in use.
    return null
  }
}

/** Stops the server and removes its data. Does nothing if the path does not look like a devnet's data directory. */
async function removeDatabase(directory: string, dataDirectory: string): Promise<void> {
  const isPlausible = [directory, tmpdir()].some((parent) => dataDirectory.startsWith(parent + sep))
  if (!isPlausible || !/postgres-[0-9a-f-]+$/.test(basename(dataDirectory))) return
  const server = runningServer(dataDirectory)
  if (server !== null) await stopServer(server.pid)
  await rm(dataDirectory, { recursive: true, force: true })
}
