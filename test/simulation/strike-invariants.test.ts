import { expect } from 'chai'
import type { Address, Hex } from '../../shared/domain/address.ts'
import { SPLIT_TOPICS, TRANSFER_TOPIC, toTopic } from '../../shared/domain/log-topics.ts'
import type { Block } from './model/chain.ts'
import { emptyState } from './model/state.ts'
import { type CountedRow, countIn } from './strike-invariants.ts'
import { DEPLOYMENTS } from './world.ts'

const [DEPLOYMENT] = DEPLOYMENTS
const TOKEN = DEPLOYMENT?.tokens[0]?.address ?? addressOf('70')
const PAYER = addressOf('9a')
const CHARGE = {
  ...{ address: addressOf('c1'), splitAddress: addressOf('51') },
  tokens: DEPLOYMENT?.tokens ?? [],
}
const HASH: Hex = `0x${'ab'.repeat(32)}`

describe('the search of the strike invariants for a row on the chain', () => {
  const CREDIT = rowOf({ event: 'credited', party: PAYER })
  const PAYMENT = logOf(TOKEN, [TRANSFER_TOPIC, toTopic(PAYER), toTopic(CHARGE.address)])

  it('counts every log with the content of the row', () => {
    expect(countIn([blockOf([PAYMENT, PAYMENT])], CREDIT, CHARGE)).to.equal(2)
  })

  it('finds an event of the split', () => {
    const row = rowOf({ event: 'distributed', party: PAYER })
    const log = logOf(CHARGE.splitAddress, [SPLIT_TOPICS[0] as Hex, toTopic(TOKEN), toTopic(PAYER)])
    expect(countIn([blockOf([log])], row, CHARGE)).to.equal(1)
    expect(countIn([blockOf([log])], rowOf({ event: 'held', party: PAYER }), CHARGE)).to.equal(0)
  })

  it('finds a transfer out of a Safe', () => {
    const log = logOf(TOKEN, [TRANSFER_TOPIC, toTopic(CHARGE.address), toTopic(PAYER)])
    expect(countIn([blockOf([log])], rowOf({ event: 'refund', party: PAYER }), CHARGE)).to.equal(1)
    expect(countIn([blockOf([log])], CREDIT, CHARGE)).to.equal(0)
  })

  const OTHERS: readonly (readonly [what: string, row: Partial<CountedRow>])[] = [
    ['amount', { amountAtto: 6n * 10n ** 12n }],
    ['sender', { party: addressOf('9b') }],
    ['token', { tokenAddress: addressOf('71') }],
    ['transaction', { txHash: `0x${'ac'.repeat(32)}` }],
  ]
  for (const [what, changed] of OTHERS)
    it(`ignores a log with another ${what}`, () => {
      expect(countIn([blockOf([PAYMENT])], { ...CREDIT, ...changed }, CHARGE)).to.equal(0)
    })
})

function rowOf(row: Pick<CountedRow, 'event' | 'party'>): CountedRow {
  return {
    ...{ what: 'row:1', chainId: 1, chargeId: 'ch_1', blockNumber: 1, tokenAddress: TOKEN, txHash: HASH },
    ...{ amountAtto: 5n * 10n ** 12n, ...row },
  }
}

function logOf(address: Address, topics: readonly Hex[]) {
  return { address, topics, data: '0x5' as Hex, logIndex: 0 }
}

function blockOf(logs: Block['receipts'][number]['logs']): Block {
  const transaction = { hash: HASH, from: PAYER, nonce: null, run: () => [] }
  const receipts = [{ transaction, isSuccess: true, logs }]
  return { number: 1, hash: '0x1', parent: null, timestamp: 1, receipts, state: emptyState() }
}

function addressOf(byte: string): Address {
  return `0x${byte.repeat(20)}` as Address
}
