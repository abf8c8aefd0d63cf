import { expect } from 'chai'

import { toText } from '../../../indexer/corroboration/query-effects.ts'
import type { PositionedReceipt } from '../../../shared/chain/nodes/receipts.ts'
import { TRANSFER_TOPIC } from '../../../shared/domain/log-topics.ts'

const LOG = {
  address: `0x${'3c'.repeat(20)}`,
  topics: [TRANSFER_TOPIC],
  data: '0x0a',
  logIndex: 1,
} as PositionedReceipt['logs'][number]
const RECEIPT: PositionedReceipt = {
  txHash: `0x${'1a'.repeat(32)}`,
  blockNumber: 7,
  blockHash: `0x${'2b'.repeat(32)}`,
  blockTimestamp: 1_700_000_000,
  logs: [LOG],
}
const withLog = (change: object): PositionedReceipt => ({ ...RECEIPT, logs: [{ ...LOG, ...change }] })

/** Two nodes agree on a transaction if and only if the texts are equal. */
describe('the text of a transaction’s effects', () => {
  for (const [title, receipt] of Object.entries({
    'differs if a node has no such transaction': null,
    'differs for another block hash': { ...RECEIPT, blockHash: `0x${'2c'.repeat(32)}` },
    'differs for another block number': { ...RECEIPT, blockNumber: 8 },
    'differs for another block time': { ...RECEIPT, blockTimestamp: RECEIPT.blockTimestamp + 3_600 },
    'differs for another amount': withLog({ data: '0x0b' }),
    'differs for another emitter': withLog({ address: `0x${'3d'.repeat(20)}` }),
    'differs for other parties': withLog({ topics: [TRANSFER_TOPIC, `0x${'4e'.repeat(32)}`] }),
    'differs for another log index': withLog({ logIndex: 2 }),
    'differs if the log is missing': { ...RECEIPT, logs: [] },
  } satisfies Record<string, PositionedReceipt | null>))
    it(title, () => {
      expect(toText(receipt)).to.not.equal(toText(RECEIPT))
    })

  it('does not depend on upper or lower case', () => {
    const upper = { ...withLog({ data: '0x0A' }), blockHash: `0x${'2B'.repeat(32)}` } as const
    expect(toText(upper)).to.equal(toText(RECEIPT))
  })

  it('ignores a log that is neither a transfer nor an event of a split', () => {
    const foreign = { ...LOG, topics: [`0x${'5f'.repeat(32)}`], logIndex: 2 } as typeof LOG
    expect(toText({ ...RECEIPT, logs: [LOG, foreign] })).to.equal(toText(RECEIPT))
  })
})
