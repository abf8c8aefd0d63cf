import { expect } from 'chai'
import { askAbout, isConfirmed, type Told } from '../../../indexer/reconciliation/second-account.ts'
import { TRANSFER_TOPIC } from '../../../indexer/transport/log-filter.ts'
import type { PlacedReceipt } from '../../../shared/chain/receipts.ts'

const NOW_MS = 1_700_000_100_000
const HASH = `0x${'1a'.repeat(32)}` as const
const RECEIPT: PlacedReceipt = {
  txHash: HASH,
  blockNumber: 7,
  blockHash: `0x${'2b'.repeat(32)}`,
  blockTimestamp: 1_700_000_000,
  logs: [{ address: `0x${'3c'.repeat(20)}`, topics: [TRANSFER_TOPIC], data: '0x0a', logIndex: 1 }],
}
const LATER: PlacedReceipt = { ...RECEIPT, blockTimestamp: RECEIPT.blockTimestamp + 3_600 }
const HIGHER: PlacedReceipt = { ...RECEIPT, blockNumber: 8 }
const DEARER: PlacedReceipt = { ...RECEIPT, logs: RECEIPT.logs.map((log) => ({ ...log, data: '0x0b' })) }

/** What nodes tell of one transaction, `null` for nothing, each at the API that the feed does not read. */
describe('what nodes of two APIs tell of a transaction', () => {
  for (const [title, { told, counts }] of Object.entries({
    'counts by the word of one node that was asked alone': { told: [RECEIPT], counts: true },
    'counts by the word of two that tell the same': { told: [RECEIPT, RECEIPT], counts: true },
    'counts by the word of two against one who denies it': { told: [RECEIPT, null, RECEIPT], counts: true },
    'does not count by the word of one against one who denies it': { told: [RECEIPT, null], counts: false },
    'does not count by the word of one against one who tells another amount': {
      told: [RECEIPT, DEARER],
      counts: false,
    },
    'does not count by the word of one against one who tells another time': {
      told: [RECEIPT, LATER],
      counts: false,
    },
    'does not count by the word of one against one who tells another block': {
      told: [RECEIPT, HIGHER],
      counts: false,
    },
    'does not count by the word of one while another has not come as far': {
      told: [RECEIPT, 'undecided'],
      counts: false,
    },
    'does not count by the word of nobody': { told: [], counts: false },
    'does not count by the word of nobody but one who tells otherwise': { told: [LATER], counts: false },
  } satisfies Record<string, { told: readonly Told[]; counts: boolean }>))
    it(title, () => {
      expect(isConfirmed(RECEIPT, told)).to.equal(counts)
    })

  for (const [title, { head, ageMs, outcome }] of Object.entries({
    'is denied by a node that knows nothing of it and has come as far': { head: 7, ageMs: 0, outcome: null },
    'is not denied by a node that knows nothing of it and has not come as far': {
      ...{ head: 6, ageMs: 600_000, outcome: 'undecided' },
    },
    'does not wait for a node that has stood still for ten minutes': {
      ...{ head: 6, ageMs: 600_001, outcome: 'a node has stopped before block 7' },
    },
  }))
    it(title, async () => {
      const source = {
        findLogs: () => Promise.resolve([]),
        readReceipt: () => Promise.resolve(null),
        readEnd: () => Promise.resolve({ number: head, timestampMs: NOW_MS - ageMs }),
      }
      const answer = askAbout(source, RECEIPT, new Date(NOW_MS))
      expect(await answer.catch((error: Error) => error.message)).to.equal(outcome)
    })
})
