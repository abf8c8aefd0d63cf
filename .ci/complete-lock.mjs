/**
 * Adds to package-lock.json the packages of other platforms that `npm install` left out; `npm ci` refuses without.
 *
 * A registry mirror that holds one platform's binaries answers 404 for the others', and npm then drops these optional
 * packages from the lock file. What it would have written follows from the packages that want them and from their
 * names. Run after `npm install`: `node .ci/complete-lock.mjs`.
 */
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
lock.packages = Object.fromEntries(Object.entries(lock.packages).toSorted(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`)

/** Reads the platform off names such as `@rollup/rollup-linux-arm-gnueabihf`; `null` if there is none in it. */
function platformOf(name) {
  const words = name.split(/[/-]/)
  const os = words.find((word) => OPERATING_SYSTEMS.includes(word))
  const cpu = words.map((word) => PROCESSORS.get(word)).find(Boolean)
  const libc = os === 'linux' ? words.map((word) => LIBRARIES.get(word)).find(Boolean) : undefined
  return os && cpu ? { os: [os], cpu: [cpu], ...(libc && { libc: [libc] }) } : null
}
