/**
 * Prints the packages that production installs, in CycloneDX format: `npm run sbom`.
 *
 * `npm sbom --omit=dev` of npm 11 also omits every package that a development package depends on, even if production
 * needs it: viem and its dependencies, for example, because of @x402/evm. So this script gives npm a lock file without
 * development packages.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const read = (path) => JSON.parse(readFileSync(path, 'utf8'))
const { devDependencies, overrides, ...manifest } = read('package.json')
const lock = read('package-lock.json')
const { devDependencies: _, ...root } = lock.packages['']
// Keep packages with `devOptional`, which production can use as well.
const installed = Object.entries(lock.packages).filter(([, entry]) => !entry.dev)
// An override such as `$name` refers to a development dependency in package.json, which is omitted here, so its version
// replaces the reference.
const kept = JSON.parse(JSON.stringify(overrides), (_name, value) =>
  typeof value === 'string' && value.startsWith('$') ? devDependencies[value.slice(1)] : value,
)

const directory = mkdtempSync(join(tmpdir(), 'sbom-'))
try {
  const write = (name, value) => writeFileSync(join(directory, name), JSON.stringify(value))
  write('package.json', { ...manifest, overrides: kept })
  write('package-lock.json', { ...lock, packages: { ...Object.fromEntries(installed), '': root } })
  const args = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx']
  const { status } = spawnSync('npm', args, { cwd: directory, stdio: ['ignore', 'inherit', 'inherit'] })
  process.exitCode = status ?? 1
} finally {
  rmSync(directory, { recursive: true })
}
