import { expect } from 'chai'
import { createFreeze } from '../../support/dishonest-node/freeze.ts'
import type { ForwardCall } from '../../support/dishonest-node/rpc-types.ts'

/** A node whose last block is 16. */
const forward = (async () => '0x10') as ForwardCall

describe('a frozen node', () => {
  it('shows its last block as the latest block, and does not change an earlier block or the first block', async () => {
    const rule = await createFreeze(forward)
    expect(await rule('eth_getBlockByNumber', ['latest', false])).to.deep.equal({ params: ['0x10', false] })
    expect(await rule('eth_getBlockByNumber', ['0x11', false])).to.deep.equal({ result: null })
    for (const block of ['0x10', 'earliest'])
      expect(await rule('eth_getBlockByNumber', [block, false]), block).to.equal('pass')
  })

  it('lists logs from the first block up to its last block', async () => {
    const rule = await createFreeze(forward)
    const query = { fromBlock: 'earliest', toBlock: 'latest' }
    expect(await rule('eth_getLogs', [query])).to.deep.equal({ params: [{ ...query, toBlock: '0x10' }] })
  })
})
