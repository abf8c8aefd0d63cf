import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import {
  bundleMerchantScript,
  CHECKOUT_DOCUMENT,
  listVersions,
  writeVersions,
} from '../../support/merchant-script.ts'

const MAX_BYTES = 4096

describe('the published versions of checkout.js', () => {
  it('are at most 4 KiB, uncompressed', () => {
    for (const { version, text } of listVersions())
      expect(Buffer.byteLength(text), `v${version}`).to.be.at.most(MAX_BYTES)
  })

  it('are numbered without gaps, because no version is ever removed', () => {
    const versions = listVersions().map(({ version }) => version)
    expect(versions).to.deep.equal(versions.map((_, index) => index + 1)).and.not.be.empty
  })

  it('end with the current source; otherwise run `npm run checkout-script`', async () => {
    expect(listVersions().at(-1)?.text).to.equal(await bundleMerchantScript())
  })

  it('have the hashes that the documentation states; otherwise run `npm run checkout-script`', () => {
    const document = readFileSync(CHECKOUT_DOCUMENT, 'utf8')
    expect(document).to.match(/ {2}integrity="sha384-[\w+/]{64}"><\/script>/)
    expect(document).to.equal(writeVersions(document))
  })
})
