import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readImage } from './image.ts'

const REPOSITORY = resolve(import.meta.dirname, '../..')

/**
 * Installs what the image has of packages into a new directory, by the Dockerfile's own step, and answers where they are;
 * beside them its list, `sbom.json`.
 */
export function installPackages(directory: string): string {
  mkdirSync(directory)
  for (const name of ['package.json', 'package-lock.json'])
    cpSync(join(REPOSITORY, name), join(directory, name))
  // What npm has fetched before is the same by its digest.
  const env = { ...process.env, npm_config_prefer_offline: 'true' } // oxlint-disable-line no-process-env -- of npm
  execFileSync('sh', ['-euc', readImage().steps.packages], { cwd: directory, env, stdio: 'pipe' })
  return join(directory, 'node_modules')
}
