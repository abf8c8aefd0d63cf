import { expect } from 'chai'
import { LANGUAGES } from '../../api/checkout/languages.ts'
import { SCREENS } from '../support/screens.ts'
import { bundleScripts } from '../support/staged-page.ts'

/** Limits for the page and its script, uncompressed, without pictures. A brand adds names and addresses. */
const MAX_BYTES = 45 * 1024
const MAX_BRAND_BYTES = 46 * 1024

/** As long as the script's real path. */
const SCRIPT = `assets/${'a'.repeat(16)}/checkout.js`

describe('the checkout’s downloads', () => {
  it('are at most 45 KiB uncompressed on every screen, in every language, and 46 KiB with a brand', async () => {
    const script = Buffer.byteLength((await bundleScripts()).pages.checkout)
    for (const { name, page } of SCREENS) {
      const most = name.includes('brand') ? MAX_BRAND_BYTES : MAX_BYTES
      for (const language of Object.keys(LANGUAGES)) {
        const document = Buffer.byteLength(page(`lang=${language}`, { script: SCRIPT }))
        expect(script + document, `${name} in ${language}`).to.be.at.most(most)
      }
    }
  })
})
