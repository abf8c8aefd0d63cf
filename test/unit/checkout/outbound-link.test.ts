import { expect } from 'chai'
import { outboundLink } from '../../../api/checkout/outbound-link.ts'
import { SCREENS } from '../../support/screens.ts'

/** The allowed targets of a link: another view of the same page (`STAYS`), a new tab or the top window (`LEAVES`). */
const STAYS = / href="\?[^"]*"/
const LEAVES = / href="https?:[^"]*" target="_blank" rel="noopener noreferrer"| href="[^"]*" target="_top"/

describe('the links of the checkout pages', () => {
  it('never open another site inside a frame, on any screen', () => {
    const links = SCREENS.flatMap(({ name, page }) =>
      ['', 'token=USDC&network=base&form=link'].flatMap((query) =>
        (page(query).match(/<a [^>]*>/g) ?? []).map((link) => ({ name, link })),
      ),
    )
    const leaving = links.filter(({ link }) => !STAYS.test(link))
    expect(leaving.map(({ link }) => link).join())
      .to.include('_blank')
      .and.to.include('_top')
    expect(leaving.filter(({ link }) => !LEAVES.test(link))).to.deep.equal([])
  })

  it('open a website in a new tab that gets no information about the page, and an app from the top window', () => {
    expect(outboundLink('https://wallet.example/?a&b').text).to.equal(
      'href="https://wallet.example/?a&amp;b" target="_blank" rel="noopener noreferrer"',
    )
    for (const url of ['ethereum:0x1', 'okx://wallet', 'mailto:a@shop.example'])
      expect(outboundLink(url).text).to.equal(`href="${url}" target="_top"`)
  })
})
