import { expect } from 'chai'
import { getCoinPrice } from '../../../indexer/commands/doctor/coin-prices.ts'

describe('getCoinPrice', () => {
  it('returns the last price given for the network, or an approximate price of its coin if none is given', () => {
    expect(getCoinPrice('base', ['base=2000', 'bnb=700', 'base=2950.5'])).to.equal(2950.5)
    expect(getCoinPrice('bnb', ['base=2000'])).to.be.within(100, 5000)
    expect(getCoinPrice('arc', [])).to.equal(1)
  })

  it('rejects a text that is not a price', () => {
    for (const price of ['', '0', '-1', 'much'])
      expect(() => getCoinPrice('base', [`base=${price}`])).to.throw('must be NETWORK=DOLLARS')
  })
})
