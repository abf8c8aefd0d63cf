import { expect } from 'chai'
import { getCoinPrice } from '../../../indexer/commands/doctor/coin-prices.ts'

describe('coinPriceOf', () => {
  it('takes the last price that was named for the network, and about what the coin costs otherwise', () => {
    expect(getCoinPrice('base', ['base=2000', 'bnb=700', 'base=2950.5'])).to.equal(2950.5)
    expect(getCoinPrice('bnb', ['base=2000'])).to.be.within(100, 5000)
    expect(getCoinPrice('arc', [])).to.equal(1)
  })

  it('refuses what is no price', () => {
    for (const price of ['', '0', '-1', 'much'])
      expect(() => getCoinPrice('base', [`base=${price}`])).to.throw('must be NETWORK=DOLLARS')
  })
})
