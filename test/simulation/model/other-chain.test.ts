import { expect } from 'chai'
import type { Address } from '../../../shared/domain/address.ts'
import { TRANSFER_TOPIC, toTopic } from '../../../shared/domain/log-topics.ts'
import type { Block } from './chain.ts'
import { ABOVE_BLOCKS, buildOtherChain, replacePayments } from './other-chain.ts'
import { emptyState } from './state.ts'

const TOKEN = { address: addressOf('70'), decimals: 6, emitter: { address: addressOf('70'), decimals: 6 } }
const TARGET = { address: addressOf('c1'), splitAddress: addressOf('51'), amountMicro: 5_000_000n }
const TERMS = { listTargets: () => [TARGET], tokens: [TOKEN] }
const BELOW: Block = {
  number: 7,
  hash: '0x7',
  parent: null,
  timestamp: 100,
  receipts: [],
  state: emptyState(),
}

describe('the blocks of a wrong chain that a feed reads', () => {
  it('have far higher numbers and later times than those of the real chain, and each pays a charge', () => {
    const blocks = buildOtherChain(BELOW, TERMS)
    expect(blocks.map(({ number }) => number - 7 - ABOVE_BLOCKS)).to.deep.equal([0, 1, 2, 3, 4])
    expect(new Set(blocks.map(({ hash }) => hash))).to.have.property('size', 5)
    for (const block of blocks) {
      expect(block.timestamp).to.be.above(BELOW.timestamp)
      expect(paymentsIn(block)).to.equal(1)
    }
  })
})

describe('wrong rows of a feed', () => {
  it('replace the transactions of a block with an invented payment to a charge', () => {
    const transaction = { hash: '0xab' as const, from: addressOf('9a'), nonce: null, run: () => [] }
    const wrong = replacePayments({ ...BELOW, receipts: [{ transaction, isSuccess: true, logs: [] }] }, TERMS)
    expect(wrong).to.include({ number: BELOW.number, hash: BELOW.hash })
    expect(wrong.receipts.map((receipt) => receipt.transaction.hash)).not.to.include('0xab')
    expect(paymentsIn(wrong)).to.equal(1)
  })
})

function paymentsIn({ receipts }: Block): number {
  return receipts
    .flatMap(({ logs }) => logs)
    .filter(({ topics }) => topics[0] === TRANSFER_TOPIC && topics[2] === toTopic(TARGET.address)).length
}

function addressOf(byte: string): Address {
  return `0x${byte.repeat(20)}` as Address
}
