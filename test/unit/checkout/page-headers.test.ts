import { expect } from 'chai'
import { pageHeaders } from '../../../api/checkout/page-headers.ts'
import { buildCheckout } from '../../support/checkout.ts'

const ON_TRON = { family: 'tron', acceptedPayments: ['USDT/tron'] } as const
const connectOf = (own?: Parameters<typeof pageHeaders>[1]) =>
  /connect-src ([^;]*);/.exec(pageHeaders([], own)['Content-Security-Policy'] ?? '')?.[1]

describe('the content security policy of the checkout pages', () => {
  it('allows connections only to the page’s own host if the charge cannot be paid on TRON', () => {
    for (const own of [undefined, buildCheckout(), buildCheckout({ acceptedPayments: ['USDC/arc'] })])
      expect(connectOf(own)).to.equal("'self'")
  })

  it('allows tronweb to connect to TRON’s public node while the charge can be paid on TRON', () => {
    expect(connectOf(buildCheckout(ON_TRON))).to.equal("'self' https://api.trongrid.io")
    expect(connectOf(buildCheckout({ ...ON_TRON, environment: 'test' }))).to.equal(
      "'self' https://nile.trongrid.io",
    )
    expect(connectOf(buildCheckout({ ...ON_TRON, status: 'expired' }))).to.equal("'self'")
  })
})
