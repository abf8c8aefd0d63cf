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

  it('rejects an unknown network or a missing value without showing any value', () => {
    for (const [text, shown] of Object.entries({
      'bsae=https://node/key': 'bsae=…',
      'base=': 'base=…',
      'https://node/key': '…',
      'https://node/key?a=1': '…',
      '': '…',
    }))
      expect(() => parseNetworkValues('--rpc', [text]), text).to.throw(
        `--rpc is "${shown}": must be NETWORK=VALUE, with one of the networks base, `,
      )
  })
})
