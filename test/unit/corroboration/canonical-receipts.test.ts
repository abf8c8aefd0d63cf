import { expect } from 'chai'
import { createPublicClient, custom } from 'viem'
import { foundry } from 'viem/chains'
import { createLogSource } from '../../../indexer/corroboration/log-source.ts'
import type { ChainClient } from '../../../shared/chain/nodes/client.ts'
import { type CanonicalReceipt, readCanonicalReceipt } from '../../../shared/chain/nodes/receipts.ts'
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

describe('a receipt that a node shows', () => {
  const check = (blockHash: Hex | null) => readCanonicalReceipt(node(blockHash), TX)
  const corroborate = (blockHash: Hex | null) =>
    createLogSource({ name: 'one', client: node(blockHash) }).readEffects({ txHash: TX, blockNumber: 7 })

  it('is returned with the time of its block', async () => {
    expect(await check(BLOCK)).to.deep.equal(RECEIPT)
    expect(await corroborate(BLOCK)).to.include({ blockHash: BLOCK, blockTimestamp: 1_700_000_000 })
  })

  it('is not returned if the node has another block at the receipt’s height', async () => {
    expect(await check(OTHER_BLOCK)).to.equal(null)
  })

  it('is not returned if the node has no block at the receipt’s height', async () => {
    expect(await check(null)).to.equal(null)
  })

  it('is not a vote if the node has another block at the receipt’s height', async () => {
    const error = await corroborate(OTHER_BLOCK).catch((thrown: unknown) => thrown)
    expect(error).to.have.property('code', 'rpc_unavailable')
    expect(String(error)).to.include('returns a receipt of block')
  })

  it('is not a vote if the node has no block at the receipt’s height', async () => {
    const error = await corroborate(null).catch((thrown: unknown) => thrown)
    expect(String(error)).to.include('could not be found')
  })
})

/** Creates a node that has the same block hash at every height and returns a receipt of `BLOCK`. */
function node(blockHash: Hex | null): ChainClient {
  const block = blockHash && { hash: blockHash, number: '0x7', timestamp: '0x6553f100', transactions: [] }
  const receipt = {
    ...{ transactionHash: TX, blockHash: BLOCK, blockNumber: '0x7', status: '0x1', logs: [] },
    ...{ from: RECEIPT.from, transactionIndex: '0x0', cumulativeGasUsed: '0x0', gasUsed: '0x0' },
  }
  const request = ({ method }: { readonly method: string }) =>
    Promise.resolve(method === 'eth_getTransactionReceipt' ? receipt : block)
  return createPublicClient({
    chain: foundry,
    transport: custom({ request }, { retryCount: 0 }),
  }) as ChainClient
}
