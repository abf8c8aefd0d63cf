/**
 * Adds to package-lock.json the packages for other platforms that `npm install` omitted. Without them, `npm ci` fails.
 *
 * A registry mirror with the binaries of only one platform responds with 404 to requests for other binaries, and npm
 * then omits these optional packages from the lock file. The script derives their entries from their names and from the
 * packages that depend on them. It also requests their digests, because npm installs any bytes for an entry
 * without a digest.
 *
 * Run it after `npm install`: `node .ci/complete-lock.mjs`. If the registry lacks packages, the script names them and
 * exits with 1; run it again with a registry that has them.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

const OPERATING_SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'openbsd', 'openharmony', 'win32']
const PROCESSORS = new Map([
  ['amd64', 'x64'],
  ...['arm', 'arm64', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'x64'].map((name) => [name, name]),
])
const LIBRARIES = new Map([
  ['musl', 'musl'],
  ['gnu', 'glibc'],
])

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'))
for (const [, owner] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(owner.optionalDependencies ?? {})) {
    const platform = platformOf(name)
    const isKnown = Object.keys(lock.packages).some((path) => path.endsWith(`node_modules/${name}`))
    if (platform === null || isKnown) continue
    lock.packages[`node_modules/${name}`] = {
      version,
      ...(owner.dev && { dev: true }),
      optional: true,
      ...platform,
    }
  }
}
const unknown = []
for (const [path, entry] of Object.entries(lock.packages)) {
  if (path === '' || entry.link || entry.integrity) continue
  const wanted = `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${entry.version}`
  const integrity = integrityOf(wanted)
  if (integrity === null) unknown.push(wanted)
  // The digest follows the version, as npm writes it.
  else lock.packages[path] = { version: entry.version, integrity, ...entry }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).toSorted(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`)

if (unknown.length > 0) {
  process.stderr.write(`the registry does not have ${unknown.length} packages, so they have no digest:\n`)
  for (const wanted of unknown) process.stderr.write(`  ${wanted}\n`)
  process.exitCode = 1
}

/**
 * Requests a package's digest from the registry that npm is configured with. Returns `null` if the registry lacks the
 * package or this version.
 *
 * @throws {Error} if the registry does not respond, or returns a weaker kind of digest
 */
function integrityOf(wanted) {
  const { stdout } = spawnSync('npm', ['view', wanted, 'dist.integrity', '--json'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 60_000,
  })
  const answer = stdout === '' ? undefined : JSON.parse(stdout)
  if (typeof answer === 'string' && answer.startsWith('sha512-')) return answer
  if (answer?.error?.code === 'E404') return null
  throw new Error(
    `the registry returned no sha512 digest for ${wanted}: ${stdout.slice(0, 300) || 'no response'}`,
  )
}

/** Derives the platform from a name such as `@rollup/rollup-linux-arm-gnueabihf`; `null` if the name contains none. */
function platformOf(name) {
  const words = name.split(/[/-]/)
  const os = words.find((word) => OPERATING_SYSTEMS.includes(word))
  const cpu = words.map((word) => PROCESSORS.get(word)).find(Boolean)
  const libc = os === 'linux' ? words.map((word) => LIBRARIES.get(word)).find(Boolean) : undefined
  return os && cpu ? { os: [os], cpu: [cpu], ...(libc && { libc: [libc] }) } : null
}
