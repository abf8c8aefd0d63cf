import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { readImage } from './image.ts'

const REPOSITORY = resolve(import.meta.dirname, '../..')

/**
 * Installs the image's packages into a new directory, by the Dockerfile's own step and only from the files
 * copied before it. Returns their path, next to the list `sbom.json`.
 */
export function installPackages(directory: string): string {
  const { copied, steps } = readImage()
  mkdirSync(directory)
  for (const { file, into } of copied) cpSync(join(REPOSITORY, file), join(directory, into, basename(file)))
  // Packages that npm has fetched before are the same by their digest.
  const env = { ...process.env, npm_config_prefer_offline: 'true' } // oxlint-disable-line no-process-env -- of npm
  execFileSync('sh', ['-euc', steps.packages], { cwd: directory, env, stdio: 'pipe' })
  return join(directory, 'node_modules')
}

type LockFile = {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly name?: string }>>
}

/**
 * Returns the packages of a lock file that production installs, on any platform, except those with these
 * names.
 */
export function listUnnamed(lockFile: string, names: readonly string[]): readonly string[] {
  const { packages } = JSON.parse(readFileSync(lockFile, 'utf8')) as LockFile
  const installed = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev)
  // A package installed under an alias also has its own name, and npm lists it by either.
  const isNamed = (path: string, own = '') =>
    names.includes(path.replace(/^.*node_modules\//, '')) || names.includes(own)
  return installed.filter(([path, { name }]) => !isNamed(path, name)).map(([path]) => path)
}
