/**
 * `npm run checkout-script`: publishes `checkout.js` as the next version if it differs from the newest version, and
 * writes the hashes of all versions to docs/checkout.md. A published version is never changed.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  bundleMerchantScript,
  CHECKOUT_DOCUMENT,
  listVersions,
  VERSIONS_DIRECTORY,
  writeVersions,
} from './support/merchant-script.ts'

const text = await bundleMerchantScript()
const newest = listVersions().at(-1)
if (newest?.text !== text) {
  const version = (newest?.version ?? 0) + 1
  await writeFile(join(VERSIONS_DIRECTORY, `${version}.js`), text, { flag: 'wx' })
  console.log(`wrote version ${version} (${Buffer.byteLength(text)} bytes)`)
}
await writeFile(CHECKOUT_DOCUMENT, writeVersions(await readFile(CHECKOUT_DOCUMENT, 'utf8')))
