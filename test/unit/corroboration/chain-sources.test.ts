import { expect } from 'chai'

import { createChainSources } from '../../../indexer/corroboration/chain-sources.ts'
import { chainAt } from '../../support/chain-at.ts'

const URLS = ['http://a.example/jsonrpc', 'http://b.example/jsonrpc', 'http://c.example/jsonrpc']

/** Lists the votes in order, each as the first letter of the node’s name and the API. */
function votesOf(nodes: number, family: 'evm' | 'tron'): readonly string[] {
  const urls = URLS.slice(0, nodes).map((url, at) => url.replace('example', `example${at}`))
  const { voters } = createChainSources(chainAt(urls, { chainId: 1 }), family)
  return voters.nodes.map(({ name, api }) => `${name[0]} ${api ?? '-'}`)
}

describe('the votes on a transaction', () => {
  it('start on TRON with different APIs of two nodes, so that two votes can decide', () => {
    expect(votesOf(2, 'tron')).to.deep.equal([
      'a walletsolidity',
      'b jsonrpc',
      'a jsonrpc',
      'b walletsolidity',
    ])
  })

  it('include both APIs of each of three nodes on TRON, each once', () => {
    const votes = votesOf(3, 'tron')
    expect(votes.slice(0, 2)).to.deep.equal(['a walletsolidity', 'b jsonrpc'])
    expect(new Set(votes)).to.have.lengthOf(6)
  })

  it('are both APIs of the only node on TRON', () => {
    expect(votesOf(1, 'tron')).to.deep.equal(['a walletsolidity', 'a jsonrpc'])
  })

  it('are one per node on EVM networks', () => {
    expect(votesOf(3, 'evm')).to.deep.equal(['a -', 'b -', 'c -'])
  })
})
