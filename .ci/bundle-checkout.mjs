/**
 * Bundles the script of the checkout's pages into one file: beside its sources, or below the directory that is named.
 *
 * Run by `npm run build` for dist/, and by the devnet and `npm run dev:api` for the sources.
 */
import { join, resolve } from 'node:path'
import { build } from 'esbuild'

const root = resolve(import.meta.dirname, '..')
await build({
  entryPoints: [join(root, 'api/checkout/browser/main.ts')],
  outfile: resolve(root, process.argv[2] ?? '.', 'api/checkout/browser/bundle.js'),
  bundle: true,
  minify: true,
  format: 'iife',
  charset: 'utf8',
  target: ['chrome111', 'firefox111', 'safari16.4'],
  logLevel: 'warning',
})
