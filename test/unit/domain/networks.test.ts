import { expect } from 'chai'
import { ALL_PAIRS, finalityBlocks, pairKey, parsePairKey } from '../../../shared/domain/networks.ts'

describe('pairs', () => {
  it('are eighteen in total, which is also a charge’s maximum', () => {
    expect(ALL_PAIRS).to.have.length(18)
  })

  it('are formatted with the token first, and parsed back', () => {
    expect(pairKey({ token: 'USDC', network: 'base' })).to.equal('USDC/base')
    for (const pair of ALL_PAIRS) expect(parsePairKey(pairKey(pair))).to.deep.equal(pair)
  })

  it('are not parsed from text of another form', () => {
    for (const text of ['', 'USDC', 'base/USDC', 'USDC/solana', 'USDC/base/'])
      expect(parsePairKey(text)).to.equal(null)
  })
})

describe('finalityBlocks', () => {
  it('returns the number of blocks after which Ponder considers a block final', () => {
    expect([1, 11155111, 137, 42161, 8453, 31337].map(finalityBlocks)).to.deep.equal([
      65, 65, 200, 240, 30, 30,
    ])
  })
})
