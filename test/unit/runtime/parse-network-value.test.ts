import { expect } from 'chai'
import { parseNetworkValue } from '../../../shared/runtime/parse-network-value.ts'

describe('parseNetworkValue', () => {
  it('returns the network and the whole text after the first equals sign', () => {
    expect(parseNetworkValue('arbitrum=http://b/?key=1')).to.deep.equal({
      network: 'arbitrum',
      value: 'http://b/?key=1',
    })
  })

  it('returns null for an unknown network, a network without a value, and other text', () => {
    for (const text of ['bsae=1', 'base=', 'base', '=1', '', 'basel=1', ' base=1'])
      expect(parseNetworkValue(text), text).to.equal(null)
  })
})
