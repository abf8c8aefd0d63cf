import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runStep } from '../../runner/run-step.ts'

/**
 * The packages with which the service is compared, in the newest versions that run on Node 20, and `pg`, with which
 * their programs connect to PostgreSQL. They are not dependencies of the product, so they are installed into a separate
 * folder.
 */
const PACKAGES = {
  'graphile-worker': '0.17.3',
  'pg-boss': '10.4.2',
  '@subsquid/evm-processor': '1.27.3',
  pg: '8.23.1',
} as const

const INSTALL_TIMEOUT_MS = 300_000

/**
 * Installs the packages into the system's temporary directory, unless an earlier run has done so. Returns the path of
 * their `package.json`, or `null` if npm cannot install them.
 */
export async function installNeighbours(): Promise<string | null> {
  const directory = join(tmpdir(), 'payments-bench-neighbours')
  const manifest = join(directory, 'package.json')
  if (isInstalled(manifest)) return manifest
  await mkdir(directory, { recursive: true })
  await writeFile(manifest, JSON.stringify({ private: true, dependencies: PACKAGES }))
  const { reason } = await runStep({
    ...{ name: 'install the compared packages', phase: 'beside', timeoutMs: INSTALL_TIMEOUT_MS, directory },
    ...{ command: 'npm', args: ['install', '--ignore-scripts', '--no-audit', '--no-fund'], environment: {} },
    tests: null,
  })
  return reason === null ? manifest : null
}

function isInstalled(manifest: string): boolean {
  if (!existsSync(manifest)) return false
  const require = createRequire(manifest)
  return Object.entries(PACKAGES).every(([name, version]) => {
    try {
      return (require(`${name}/package.json`) as { version: string }).version === version
    } catch {
      return false
    }
  })
}
