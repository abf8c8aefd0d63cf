import { expect } from 'chai'
import { TransactionReceiptNotFoundError } from 'viem'

import { createLogSource } from '../../../indexer/corroboration/log-source.ts'
import type { ChainClient } from '../../../shared/chain/nodes/client.ts'
import type { Hex } from '../../../shared/domain/address.ts'

const HASH: Hex = `0x${'1a'.repeat(32)}`
const BLOCK_HASH: Hex = `0x${'2b'.repeat(32)}`
const CLAIM = { txHash: HASH, blockNumber: 7 }
const RECEIPT = {
  ...{ transactionHash: HASH, blockHash: BLOCK_HASH, blockNumber: 7n },
  ...{ status: 'success', logs: [] },
}

type Shown = {
  readonly receipt?: object
  readonly block?: { readonly hash: Hex; readonly transactions: readonly Hex[] }
}

/** Returns the effects that a node with only this receipt and block reports, or the message of its error. */
function effectsOf({ receipt, block }: Shown, claim = CLAIM) {
  const client = {
    getTransactionReceipt: async () => {
      if (receipt === undefined) throw new TransactionReceiptNotFoundError({ hash: HASH })
      return receipt
    },
    getBlock: async () => {
      if (block === undefined) throw new Error('block 7 is not found')
      return { ...block, timestamp: 1_700_000_000n }
    },
  } as unknown as ChainClient
  return createLogSource({ client, name: 'a.example' })
    .readEffects(claim)
    .catch((error: Error) => error.message)
}

describe('a transaction as shown by a node', () => {
  const listing = { hash: BLOCK_HASH, transactions: [HASH] }

  it('is denied by a node that shows the block without the transaction', async () => {
    expect(await effectsOf({ block: { ...listing, transactions: [] } })).to.equal(null)
  })

  it('is not denied by a node that does not have the block yet', async () => {
    expect(await effectsOf({})).to.equal('block 7 is not found')
  })

  it('is not denied by a node that has pruned the receipt', async () => {
    expect(await effectsOf({ block: listing })).to.include('has no receipt of the transaction')
  })

  it('has no effects if it failed', async () => {
    expect(await effectsOf({ receipt: { ...RECEIPT, status: 'reverted' }, block: listing })).to.equal(null)
  })

  it('is not reported if the node has another block at the height of its receipt', async () => {
    const other = { ...listing, hash: `0x${'2c'.repeat(32)}` as Hex }
    expect(await effectsOf({ receipt: RECEIPT, block: other })).to.include('returns a receipt of block')
  })

  it('is the same transaction regardless of the case of its hash', async () => {
    const upper: Hex = `0x${'1A'.repeat(32)}`
    const effects = await effectsOf({ receipt: RECEIPT, block: listing }, { ...CLAIM, txHash: upper })
    expect(effects).to.include({ txHash: HASH, blockHash: BLOCK_HASH })
  })
})
