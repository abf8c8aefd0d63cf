import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GeneratedFile } from './generated-files.ts'

/** Throws an error with the paths of all generated files that are missing or different in the checkout. */
export function requireCommitted(files: readonly GeneratedFile[], checkout = '.'): void {
  const differing = files.filter(({ path, text }) => {
    const committed = join(checkout, path)
    return !existsSync(committed) || readFileSync(committed, 'utf8') !== text
  })
  if (differing.length > 0)
    throw new Error(
      `run npm run abi and commit the files, because the output of forge build differs from ${differing.map(({ path }) => path).join(', ')}`,
    )
}
