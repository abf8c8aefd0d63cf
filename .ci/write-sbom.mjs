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
const { devDependencies: _, overrides, ...manifest } = read('package.json')
const lock = read('package-lock.json')
const { devDependencies: __, ...root } = lock.packages['']
const installed = Object.entries(lock.packages).filter(([, entry]) => !entry.dev && !entry.devOptional)
// Those that name a package of the root name one of development.
const kept = Object.entries(overrides).filter(([, version]) => typeof version === 'string')

const directory = mkdtempSync(join(tmpdir(), 'sbom-'))
try {
  const write = (name, value) => writeFileSync(join(directory, name), JSON.stringify(value))
  write('package.json', { ...manifest, overrides: Object.fromEntries(kept) })
  write('package-lock.json', { ...lock, packages: { ...Object.fromEntries(installed), '': root } })
  const args = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx']
  const { status } = spawnSync('npm', args, { cwd: directory, stdio: ['ignore', 'inherit', 'inherit'] })
  process.exitCode = status ?? 1
} finally {
  rmSync(directory, { recursive: true })
}
