import { expect } from 'chai'
import { getCoinPrice, parseCoinPrices } from '../../../indexer/commands/doctor/coin-prices.ts'

describe('getCoinPrice', () => {
  it('returns the last price given for the network, or an approximate price of its coin if none is given', () => {
    const given = parseCoinPrices(['base=2000', 'bnb=700', 'base=2950.5'])
    expect(getCoinPrice('base', given)).to.equal(2950.5)
    expect(getCoinPrice('optimism', given)).to.be.within(100, 10_000)
    expect(getCoinPrice('arc', new Map())).to.equal(1)
  })
})

describe('parseCoinPrices', () => {
  for (const text of ['base=', 'base=0', 'base=-1', 'base=much', 'base', '2950', 'bse=2950', 'base=1=2'])
    it(`rejects “${text}”, and names the value and the required form`, () => {
      expect(() => parseCoinPrices(['bnb=700', text])).to.throw(
        `--coin-usd is ${JSON.stringify(text)}: must be NETWORK=DOLLARS`,
      )
    })
})
