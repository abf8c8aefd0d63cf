/**
 * Adds to package-lock.json the packages of other platforms that `npm install` left out; `npm ci` refuses without.
 *
 * A registry mirror that holds one platform's binaries answers 404 for the others', and npm then drops these optional
 * packages from the lock file. What it would have written follows from the packages that want them and from their
 * names; only their digests the registry alone knows. It is asked through npm for each that is missing: without one,
 * npm installs whatever bytes it gets. Run after `npm install`: `node .ci/complete-lock.mjs`. Exits 1, and names them,
 * if the registry does not have some: run it again where it does. CONTRIBUTING.md says which these are now.
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
  // Where npm has it: after the version.
  else lock.packages[path] = { version: entry.version, integrity, ...entry }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).toSorted(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`)

if (unknown.length > 0) {
  process.stderr.write(
    `the registry does not have ${unknown.length} packages, which stay without integrity:\n`,
  )
  for (const wanted of unknown) process.stderr.write(`  ${wanted}\n`)
  process.exitCode = 1
}

/**
 * Asks the registry that npm is configured with; `null` if it has no such package, or none of that version.
 *
 * @throws {Error} when it did not answer, or with a digest of a weaker kind: that says nothing about what it has
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
  throw new Error(`the registry gave no digest of ${wanted}: ${stdout.slice(0, 300) || 'no answer'}`)
}

/** Reads the platform off names such as `@rollup/rollup-linux-arm-gnueabihf`; `null` if there is none in it. */
function platformOf(name) {
  const words = name.split(/[/-]/)
  const os = words.find((word) => OPERATING_SYSTEMS.includes(word))
  const cpu = words.map((word) => PROCESSORS.get(word)).find(Boolean)
  const libc = os === 'linux' ? words.map((word) => LIBRARIES.get(word)).find(Boolean) : undefined
  return os && cpu ? { os: [os], cpu: [cpu], ...(libc && { libc: [libc] }) } : null
}
