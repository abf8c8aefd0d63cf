import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { readImage } from './image.ts'

const REPOSITORY = resolve(import.meta.dirname, '../..')

/**
 * Installs what the image has of packages into a new directory, by the Dockerfile's own step and from the files alone that
 * it copies before, and answers where they are; beside them its list, `sbom.json`.
 */
export function installPackages(directory: string): string {
  const { copied, steps } = readImage()
  mkdirSync(directory)
  for (const { file, into } of copied) cpSync(join(REPOSITORY, file), join(directory, into, basename(file)))
  // What npm has fetched before is the same by its digest.
  const env = { ...process.env, npm_config_prefer_offline: 'true' } // oxlint-disable-line no-process-env -- of npm
  execFileSync('sh', ['-euc', steps.packages], { cwd: directory, env, stdio: 'pipe' })
  return join(directory, 'node_modules')
}

type LockFile = {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly name?: string }>>
}

/** Answers the packages of a lock file that production installs, on any platform, and that are not among these names. */
export function listUnnamed(lockFile: string, names: readonly string[]): readonly string[] {
  const { packages } = JSON.parse(readFileSync(lockFile, 'utf8')) as LockFile
  const installed = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev)
  // What is installed under another name has a name of its own besides, and npm lists it by either.
  const isNamed = (path: string, own = '') =>
    names.includes(path.replace(/^.*node_modules\//, '')) || names.includes(own)
  return installed.filter(([path, { name }]) => !isNamed(path, name)).map(([path]) => path)
}
