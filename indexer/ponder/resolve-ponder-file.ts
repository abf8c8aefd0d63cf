import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { invariant } from '../../shared/domain/errors.ts'

/**
 * Finds a file of the installed Ponder by its path inside the package.
 *
 * Ponder exports its library only for `import`, and not every loader provides `import.meta.resolve`, so this function
 * searches the directories that Node searches.
 */
export function resolvePonderFile(path: string): string {
  const directories = createRequire(import.meta.url).resolve.paths('ponder') ?? []
  const file = directories
    .map((directory) => join(directory, 'ponder', path))
    .find((found) => existsSync(found))
  invariant(file !== undefined, `ponder/${path} is not installed in ${directories.join(', ')}`)
  return file
}
