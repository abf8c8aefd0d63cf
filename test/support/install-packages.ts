import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { readImage } from './image.ts'

const REPOSITORY = resolve(import.meta.dirname, '../..')

/**
 * Runs the Dockerfile's installation command in a new directory, with only the files that the Dockerfile copies before.
 * Returns the path of `node_modules`. Next to it is `sbom.json`, the list of packages.
 */
export function installPackages(directory: string): string {
  const { copied, steps } = readImage()
  mkdirSync(directory)
  for (const { file, into } of copied) cpSync(join(REPOSITORY, file), join(directory, into, basename(file)))
  // Cached packages are safe to use, because npm verifies their digests.
  const env = { ...process.env, npm_config_prefer_offline: 'true' } // oxlint-disable-line no-process-env -- of npm
  execFileSync('sh', ['-euc', steps.packages], { cwd: directory, env, stdio: 'pipe' })
  return join(directory, 'node_modules')
}

type LockFile = {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly name?: string }>>
}

/** Returns the paths of a lock file's production packages, for all platforms, that have none of these names. */
export function listUnnamed(lockFile: string, names: readonly string[]): readonly string[] {
  const { packages } = JSON.parse(readFileSync(lockFile, 'utf8')) as LockFile
  const installed = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev)
  // A package installed under an alias has two names, of which npm lists only one.
  const isNamed = (path: string, own = '') =>
    names.includes(path.replace(/^.*node_modules\//, '')) || names.includes(own)
  return installed.filter(([path, { name }]) => !isNamed(path, name)).map(([path]) => path)
}
