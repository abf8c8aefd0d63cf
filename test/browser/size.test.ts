import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { SCREENS } from '../support/screens.ts'
import { bundleScript } from '../support/staged-page.ts'

/** Maximum size of a page and its script together, as a proxy sends them. */
const MAX_COMPRESSED_BYTES = 40 * 1024

describe('the checkout’s downloads', () => {
  it('are at most 40 kB compressed', async () => {
    const script = gzipSync(await bundleScript()).length
    for (const { name, page } of SCREENS) {
      const html = gzipSync(
        page('token=USDC&network=base&form=link', { script: 'assets/checkout.js' }),
      ).length
      expect(script + html, name).to.be.below(MAX_COMPRESSED_BYTES)
    }
  })
})
