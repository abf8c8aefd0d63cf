import { expect } from 'chai'
import { pad } from 'viem'
import { decodeReceipt } from '../../../indexer/chain-feed/decode-receipt.ts'
import type { PositionedLog } from '../../../shared/chain/nodes/receipts.ts'
import type { Hex } from '../../../shared/domain/address.ts'
import { SPLIT_TOPICS, TRANSFER_TOPIC } from '../../../shared/domain/log-topics.ts'

const TOKEN: Hex = `0x${'c0'.repeat(20)}`
const PAYER: Hex = `0x${'77'.repeat(20)}`
const CHARGE: Hex = `0x${'11'.repeat(20)}`
const ONE = pad('0x01')

describe('decodeReceipt', () => {
  it('decodes a Transfer of three topics', () => {
    const [transfer] = decode({}).transfers
    expect(transfer).to.include({ emitter: TOKEN, sender: PAYER, recipient: CHARGE, value: 1n, logIndex: 3 })
  })

  it('decodes no transfer from a Transfer with a fourth topic, even if its data is an amount', () => {
    expect(decode({ topics: [TRANSFER_TOPIC, pad(PAYER), pad(CHARGE), ONE] }).transfers).to.deep.equal([])
  })

  for (const [title, changes] of Object.entries({
    'empty data': { data: '0x' },
    'two words of data': { data: `${ONE}${ONE.slice(2)}` },
    'no recipient': { topics: [TRANSFER_TOPIC, pad(PAYER)] },
    'another first topic': { topics: [ONE, pad(PAYER), pad(CHARGE)] },
  } satisfies Record<string, { data?: Hex; topics?: PositionedLog['topics'] }>))
    it(`decodes no transfer from a log with ${title}`, () => {
      expect(decode(changes as Partial<PositionedLog>).transfers).to.deep.equal([])
    })

  it('decodes the kind of each split event', () => {
    const kinds = SPLIT_TOPICS.map(
      (topic) => decode({ topics: [topic, pad(TOKEN), pad(PAYER)] }).splitEvents[0]?.kind,
    )
    expect(kinds).to.deep.equal(['distributed', 'held', 'released'])
  })
})

function decode(changes: Partial<PositionedLog>) {
  const topics: PositionedLog['topics'] = [TRANSFER_TOPIC, pad(PAYER), pad(CHARGE)]
  return decodeReceipt({
    ...{ txHash: ONE, blockNumber: 7, blockHash: ONE, blockTimestamp: 1_700_000_000 },
    logs: [{ address: TOKEN, topics, data: ONE, logIndex: 3, ...changes }],
  })
}
