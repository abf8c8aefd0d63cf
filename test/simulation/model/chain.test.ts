import { expect } from 'chai'
import { keccak256, stringToHex } from 'viem'
import type { Address } from '../../../shared/domain/address.ts'
import { createRandom } from '../../support/seeded-random.ts'
import { blockAt, createChain, type Transaction } from './chain.ts'

const START_MS = Date.parse('2026-11-20T12:00:00.000Z')
const CONFIRMATIONS = 3
const SENDER = `0x${'5e'.repeat(20)}` as Address

describe('the model of a chain', () => {
  it('confirms a transaction with the third block, counting the block that contains it', () => {
    const chain = newChain()
    const { hash } = send(chain)
    mine(chain, 2)
    expect(chain.wasDeep(hash)).to.equal(false)
    mine(chain, 1)
    expect(chain.wasDeep(hash)).to.equal(true)
    expect(chain.deepBlocks().map(({ number }) => number)).to.include(1)
  })

  it('includes reorganized transactions again, on a branch that is one block longer', () => {
    const chain = newChain()
    const { hash } = send(chain)
    mine(chain, 2)
    chain.reorganize(START_MS + 9_000, { depth: 2, lost: () => false })
    expect(chain.tip().number).to.equal(3)
    expect(hashesIn(chain)).to.deep.equal([hash])
    expect(chain.hasLostDepth()).to.equal(false)
  })

  it('removes transactions that a reorganization drops, and restores their sender’s nonce', () => {
    const chain = newChain()
    send(chain, 0)
    mine(chain, 1)
    chain.reorganize(START_MS + 9_000, { depth: 1, lost: () => true })
    mine(chain, 3)
    expect(hashesIn(chain)).to.deep.equal([])
    expect(chain.tip().state.nonces.get(SENDER)).to.equal(undefined)
  })

  it('still reports a transaction as once confirmed after a deeper reorganization has removed it', () => {
    const chain = newChain()
    const { hash } = send(chain)
    mine(chain, 3)
    chain.reorganize(START_MS + 9_000, { depth: 3, lost: () => true })
    expect(hashesIn(chain)).to.deep.equal([])
    expect(chain.wasDeep(hash)).to.equal(true)
    expect(chain.hasLostDepth()).to.equal(true)
  })

  it('timestamps its blocks with its own clock, which never goes back', () => {
    const chain = newChain({ aheadMs: 12_000 })
    mine(chain, 1)
    const first = chain.tip().timestamp
    expect(first * 1000).to.be.within(START_MS + 12_000, START_MS + 14_000)
    chain.mine(START_MS - 60_000)
    expect(chain.tip().timestamp).to.equal(first)
  })

  it('includes a sender’s transactions in nonce order, and only the later of two with the same nonce', () => {
    const chain = newChain()
    const second = send(chain, 1)
    send(chain, 0)
    const first = send(chain, 0)
    mine(chain, 1)
    expect(hashesIn(chain)).to.deep.equal([first.hash, second.hash])
  })
})

type Chain = ReturnType<typeof createChain>

function newChain({ aheadMs = 0 } = {}): Chain {
  const random = createRandom(7)
  return createChain({ chainId: 1, confirmations: CONFIRMATIONS, random, startMs: START_MS, aheadMs })
}

let sent = 0

function send(chain: Chain, nonce: number | null = null): Transaction {
  sent += 1
  const transaction = { hash: keccak256(stringToHex(`${sent}`)), from: SENDER, nonce, run: () => [] }
  chain.send(transaction)
  return transaction
}

function mine(chain: Chain, blocks: number): void {
  for (let block = 1; block <= blocks; block += 1) chain.mine(START_MS + block * 2_000)
}

function hashesIn(chain: Chain) {
  const hashes = []
  for (let number = 0; number <= chain.tip().number; number += 1)
    hashes.push(...(blockAt(chain.tip(), number)?.receipts ?? []).map(({ transaction }) => transaction.hash))
  return hashes
}
