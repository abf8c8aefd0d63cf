import { expect } from 'chai'
import { type ChainNode, createChainNodes } from '../../../../shared/chain/nodes/chain-nodes.ts'
import { queryConfirmedHead } from '../../../../shared/chain/nodes/query-confirmed-head.ts'
import { configureNodes } from '../../../../shared/domain/node-config.ts'

const URLS = ['http://127.0.0.1:1', 'http://127.0.0.1:2', 'http://127.0.0.1:3']
const HEAD = 100n
const DEPLOYMENT = { confirmations: 3, blockTimeMs: 1_000 }

type GetBlock = (of: { readonly blockNumber?: bigint }) => Promise<object>

const standing: GetBlock = async ({ blockNumber = HEAD }) => ({
  ...{ number: blockNumber, timestamp: blockNumber, hash: `0x${blockNumber.toString(16)}` },
})
const hanging: GetBlock = () => new Promise(() => undefined)

/** Creates one chain node for each function, which returns the node's blocks. */
function nodesThat(getBlocks: readonly GetBlock[]) {
  const group = createChainNodes({ chainId: 1, nodes: configureNodes(URLS), quorum: 2 })
  const clientAt = (at: number) => ({ getBlock: getBlocks[at] }) as unknown as ChainNode['client']
  return { ...group, nodes: group.nodes.map((node, at) => ({ ...node, client: clientAt(at) })) }
}

describe('queryConfirmedHead', () => {
  it('returns the block that a quorum reports while a third node hangs', async () => {
    const { number, block } = await queryConfirmedHead(nodesThat([hanging, standing, standing]), DEPLOYMENT)
    expect([number, block?.value.hash]).to.deep.equal([98, '0x62'])
  })
})
