/**
 * Generates the contract files that the service and its tests use: `contracts/artifacts/*.json` and the ABIs in
 * `shared/chain/abi/`. Run it at the repository's root: `npm run abi [-- --check]`.
 *
 * With `--check`, the script writes nothing. If committed files differ or are missing, it fails with their paths.
 * `npm run test:contracts` makes the same check.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runForge } from './forge.ts'
import { generateFiles } from './generated-files.ts'
import { requireCommitted } from './require-committed.ts'

// A clean build outside `contracts/out`, so that it does not interfere with a concurrent build or test.
const outFolder = mkdtempSync(join(tmpdir(), 'contracts-out-'))
try {
  const folders = ['--out', outFolder, '--cache-path', join(outFolder, 'cache')]
  const sources = ['contracts/src', 'contracts/test/tokens', 'contracts/test/accounts', 'contracts/test/swap']
  runForge(['build', ...sources, ...folders], 'ignore')
  const files = generateFiles(outFolder)
  if (process.argv.includes('--check')) requireCommitted(files)
  else for (const { path, text } of files) writeFileSync(path, text)
} finally {
  rmSync(outFolder, { recursive: true })
}
