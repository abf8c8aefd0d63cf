import { expect } from 'chai'
import { parseNetworkValues } from '../../../api/client/parse-network-values.ts'

describe('parseNetworkValues', () => {
  it('returns the last value of each network, and accepts an equals sign in a value', () => {
    const texts = ['base=http://a', 'arbitrum=http://b/?key=1', 'base=http://c']
    expect([...parseNetworkValues('--rpc', texts)]).to.deep.equal([
      ['base', 'http://c'],
      ['arbitrum', 'http://b/?key=1'],
    ])
  })

  it('rejects an unknown network, and a network without a value', () => {
    for (const text of ['bsae=2950', 'base=', 'base', '2950', ''])
      expect(() => parseNetworkValues('--coin-usd', [text]), text).to.throw(
        `--coin-usd is ${JSON.stringify(text)}: must be NETWORK=VALUE, with one of the networks base, `,
      )
  })
})
