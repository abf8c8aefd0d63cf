/**
 * Bundles the scripts of the checkout: one for each page, and the payment code, which the charge's page loads only when
 * the payer pays with a wallet. Writes them to `api/checkout/browser/bundle` in the repository or in the given
 * directory.
 *
 * Run by `npm run build` for dist/, by the devnet and `npm run dev:api` for the sources, and by tests
 * (`test/support/staged-page.ts`, `test/bench/checkout.ts`).
 */
import { join, resolve } from 'node:path'
import { build } from 'esbuild'

const root = resolve(import.meta.dirname, '..')
for (const [name, format] of [
  ['checkout', 'iife'],
  ['claim', 'iife'],
  ['escrow', 'iife'],
  ['payment', 'esm'],
])
  await build({
    entryPoints: [join(root, `api/checkout/browser/${name}.ts`)],
    outfile: resolve(root, process.argv[2] ?? '.', `api/checkout/browser/bundle/${name}.js`),
    bundle: true,
    minify: true,
    format,
    charset: 'utf8',
    target: ['chrome111', 'firefox111', 'safari16.4'],
    logLevel: 'warning',
  })
