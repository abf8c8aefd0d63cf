import { createRequire } from 'node:module'
import type * as ponder from 'ponder'
import { ponderFile } from './ponder-file.ts'

/**
 * Ponder's library, the one that its own program has already loaded.
 *
 * For Ponder's process alone. There an `import` would compile it anew with all that it imports, 370 files of GraphQL among
 * them, because Vite takes a path with `/esm/` for code that Node cannot run (vite-node 1.0.2).
 */
export const { createConfig, index, onchainTable, primaryKey }: typeof ponder = createRequire(
  import.meta.url,
)(ponderFile('dist/esm/index.js'))
