/**
 * Prints the packages that production installs, as CycloneDX: `npm run sbom`.
 *
 * `npm sbom --omit=dev` of npm 11 leaves out every package that a development package depends on as well, viem and all below
 * it since @x402/evm: its selector `.dev` asks by any edge. So it is given a lock file in which there is nothing of development.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const read = (path) => JSON.parse(readFileSync(path, 'utf8'))
const { devDependencies, overrides, ...manifest } = read('package.json')
const lock = read('package-lock.json')
const { devDependencies: _, ...root } = lock.packages['']
// What a package of production may use and one of development brings (`devOptional`) is installed, too.
const installed = Object.entries(lock.packages).filter(([, entry]) => !entry.dev)
// An override that names a package of the root names one of development: here its version stands for it.
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
