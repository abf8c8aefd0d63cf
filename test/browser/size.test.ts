import { expect } from 'chai'
import { LANGUAGES } from '../../api/checkout/languages.ts'
import { SCREENS } from '../support/screens.ts'
import { bundleScripts } from '../support/staged-page.ts'

/** Limit for the first load of the page of a charge without a brand, uncompressed. */
const MAX_BYTES = 45 * 1024

/** Name and length of a script's path. */
const SCRIPT = `assets/${'a'.repeat(16)}/checkout.js`

describe('the checkout’s downloads', () => {
  it('are at most 45 KiB uncompressed on every screen, in every language', async () => {
    const script = Buffer.byteLength((await bundleScripts()).page)
    for (const { name, page } of SCREENS.filter((screen) => !screen.name.includes('brand'))) {
      for (const language of Object.keys(LANGUAGES)) {
        const document = Buffer.byteLength(page(`lang=${language}`, { script: SCRIPT }))
        expect(script + document, `${name} in ${language}`).to.be.at.most(MAX_BYTES)
      }
    }
  })
})
