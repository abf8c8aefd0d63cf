import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, sep } from 'node:path'
import { runningServer, stopServer } from './embedded-postgres.ts'
import { findCommandLine } from './find-command-line.ts'

/** Who uses a devnet's directory, in `run.json` there. */
type Run = { readonly pid: number; readonly commandLine: string; readonly dataDirectory: string | null }

const RUN_FILE = 'run.json'

/** What a devnet writes; nothing else is ever removed, whatever directory it is told to use. */
const OURS = /^(run\.json|devnet\.json(\.part)?|networks\.json|[a-z0-9-]+\.log|postgres-[0-9a-f]+)$/

/**
 * Makes a directory ours alone, and rids it of what a devnet that was killed left there.
 *
 * A fresh chain must not meet the old database, which would know of blocks that never were: the leftover server is
 * ended and its data are removed.
 *
 * @throws {Error} if a devnet is running there, or the directory belongs to somebody else
 */
export async function claimDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true })
  await requireOwner(directory)
  const run = await readRun(directory)
  if (run !== null && findCommandLine(run.pid) === run.commandLine) {
    throw new Error(`a devnet is running in ${directory} (process ${run.pid}): end that one first`)
  }
  if (run?.dataDirectory) await removeDatabase(directory, run.dataDirectory)
  for (const name of await readdir(directory)) {
    if (OURS.test(name)) await rm(join(directory, name), { recursive: true, force: true })
  }
  await recordRun(directory, null)
}

/** Notes where the data are, so that a later devnet can remove them. */
export async function recordRun(directory: string, dataDirectory: string | null): Promise<void> {
  const run: Run = { pid: process.pid, commandLine: findCommandLine(process.pid) ?? '', dataDirectory }
  await writeFile(join(directory, RUN_FILE), JSON.stringify(run))
}

/** Lets the directory go. */
export async function releaseDirectory(directory: string): Promise<void> {
  await rm(join(directory, RUN_FILE), { force: true })
}

/** Names a directory for a new database: never one that an older server may still have open. */
export function newDataDirectory(directory: string): string {
  return join(directory, `postgres-${randomBytes(4).toString('hex')}`)
}

async function requireOwner(directory: string): Promise<void> {
  const me = process.getuid?.()
  const { uid } = await stat(directory)
  if (me === undefined || me === 0 || uid === me) return
  throw new Error(
    `${directory} belongs to user ${uid}, and this is user ${me}: remove it, or run as the user it belongs to`,
  )
}

async function readRun(directory: string): Promise<Run | null> {
  try {
    return JSON.parse(await readFile(join(directory, RUN_FILE), 'utf8')) as Run
  } catch {
    // Missing, or cut short by a kill: nobody's either way.
    return null
  }
}

/** Believes the note only so far: what it names must look like a devnet's. */
async function removeDatabase(directory: string, dataDirectory: string): Promise<void> {
  const isPlausible = [directory, tmpdir()].some((parent) => dataDirectory.startsWith(parent + sep))
  if (!isPlausible || !/postgres-[0-9a-f-]+$/.test(basename(dataDirectory))) return
  const server = runningServer(dataDirectory)
  if (server !== null) await stopServer(server.pid)
  await rm(dataDirectory, { recursive: true, force: true })
}
