import { expect } from 'chai'
import { getCoinPrice } from '../../../indexer/commands/doctor/coin-prices.ts'

describe('coinPriceOf', () => {
  it('returns the last price named for the network, and an approximate price of the coin otherwise', () => {
    expect(getCoinPrice('base', ['base=2000', 'bnb=700', 'base=2950.5'])).to.equal(2950.5)
    expect(getCoinPrice('bnb', ['base=2000'])).to.be.within(100, 5000)
    expect(getCoinPrice('arc', [])).to.equal(1)
  })

  it('rejects a text that is not a price', () => {
    for (const price of ['', '0', '-1', 'much'])
      expect(() => getCoinPrice('base', [`base=${price}`])).to.throw('must be NETWORK=DOLLARS')
  })
})
