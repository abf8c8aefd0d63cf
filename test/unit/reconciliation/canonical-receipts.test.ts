import { expect } from 'chai'
import { createPublicClient, custom } from 'viem'
import { foundry } from 'viem/chains'
import { keepCanonical } from '../../../indexer/checks/keep-canonical.ts'
import { createLogSource } from '../../../indexer/reconciliation/scan-source.ts'
import type { ChainNode } from '../../../indexer/transport/node-heads.ts'
import type { ChainClient } from '../../../shared/chain/client.ts'
import type { CanonicalReceipt } from '../../../shared/chain/receipts.ts'
import type { Address, Hex } from '../../../shared/domain/address.ts'

const hash = (byte: string): Hex => `0x${byte.repeat(32)}`

const PAYER = `0x${'77'.repeat(20)}` as Address
const TX = hash('1a')
const BLOCK = hash('2b')
const OTHER_BLOCK = hash('3c')
const RECEIPT: CanonicalReceipt = {
  ...{ txHash: TX, from: PAYER, blockNumber: 7, blockHash: BLOCK },
  ...{ blockTimestamp: 1_700_000_000, logs: [] },
}

describe('keepCanonical', () => {
  it('keeps a receipt whose block every node has', async () => {
    expect(await keepCanonical([node(BLOCK), node(BLOCK)], [RECEIPT])).to.deep.equal([RECEIPT])
  })

  for (const [title, nodes] of Object.entries({
    'drops a receipt if the only node has another block at its height': [node(OTHER_BLOCK)],
    'drops a receipt if the second of two nodes has another block at its height': [
      ...[node(BLOCK), node(OTHER_BLOCK)],
    ],
  }))
    it(title, async () => {
      expect(await keepCanonical(nodes, [RECEIPT])).to.deep.equal([])
    })

  it('keeps the receipts of one block if another block was reorganized away', async () => {
    const lost = { ...RECEIPT, txHash: hash('4d'), blockNumber: 8, blockHash: OTHER_BLOCK }
    expect(await keepCanonical([node(BLOCK)], [lost, RECEIPT])).to.deep.equal([RECEIPT])
  })
})

describe('a receipt that reconciliation reads', () => {
  const read = (blockHash: Hex | null) => createLogSource(node(blockHash)).readReceipt(TX)

  it('is returned with the time of its block', async () => {
    expect(await read(BLOCK)).to.include({ blockHash: BLOCK, blockTimestamp: 1_700_000_000 })
  })

  it('is null if the node has another block at its height', async () => {
    expect(await read(OTHER_BLOCK)).to.equal(null)
  })

  it('is null if the node has no block at its height', async () => {
    expect(await read(null)).to.equal(null)
  })
})

/** A node with one block hash at every height, whose receipt names `BLOCK`. */
function node(blockHash: Hex | null): ChainNode {
  const block = blockHash && { hash: blockHash, number: '0x7', timestamp: '0x6553f100', transactions: [] }
  const receipt = {
    ...{ transactionHash: TX, blockHash: BLOCK, blockNumber: '0x7', status: '0x1', logs: [] },
    ...{ from: RECEIPT.from, transactionIndex: '0x0', cumulativeGasUsed: '0x0', gasUsed: '0x0' },
  }
  const request = ({ method }: { readonly method: string }) =>
    Promise.resolve(method === 'eth_getTransactionReceipt' ? receipt : block)
  const client = createPublicClient({ chain: foundry, transport: custom({ request }, { retryCount: 0 }) })
  return { url: 'http://node.test', client: client as ChainClient }
}
