import { createRequire } from 'node:module'
import type * as ponder from 'ponder'
import { resolvePonderFile } from './resolve-ponder-file.ts'

/**
 * Ponder's library: the copy that Ponder's own program has already loaded.
 *
 * Use it only in Ponder's process. An `import` there would compile the library again with all its imports, including
 * 370 files of GraphQL, because Vite treats a path with `/esm/` as code that Node cannot run (vite-node 1.0.2).
 */
export const { createConfig, index, onchainTable, primaryKey }: typeof ponder = createRequire(
  import.meta.url,
)(resolvePonderFile('dist/esm/index.js'))
