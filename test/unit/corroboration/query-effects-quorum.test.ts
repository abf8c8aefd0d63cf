import { expect } from 'chai'
import type { Hex } from 'viem'
import { queryEffects } from '../../../indexer/corroboration/query-effects.ts'
import { createNodeHealth } from '../../../shared/chain/nodes/node-health.ts'
import type { PositionedReceipt } from '../../../shared/chain/nodes/receipts.ts'
import { TRANSFER_TOPIC } from '../../../shared/domain/log-topics.ts'

const TX = `0x${'11'.repeat(32)}` as Hex
const OTHER_TOPIC = `0x${'22'.repeat(32)}` as Hex

const LOG = {
  ...{
    address: `0x${'70'.repeat(20)}` as Hex,
    blockHash: `0x${'b1'.repeat(32)}` as Hex,
    transactionHash: TX,
  },
  ...{ logIndex: 4, data: '0x0a' as Hex, topics: [TRANSFER_TOPIC, '0x01', '0x02'] as [Hex, Hex, Hex] },
}
const RECEIPT = {
  ...{ txHash: TX, blockNumber: 7, blockHash: LOG.blockHash, blockTimestamp: 1_000, logs: [LOG] },
} as unknown as PositionedReceipt

const withLog = (changes: object) => ({ ...RECEIPT, logs: [{ ...LOG, ...changes }] }) as PositionedReceipt

async function ask(...receipts: readonly (PositionedReceipt | null | 'silent')[]): Promise<string> {
  const nodes = receipts.map((receipt, at) => ({
    ...{ name: `node-${at}`, operator: `operator-${at}`, api: null },
    source: {
      readEffects: () =>
        receipt === 'silent' ? Promise.reject(new Error('timeout')) : Promise.resolve(receipt),
    } as never,
  }))
  const voters = { nodes, quorum: 2, getTrusted: () => null, health: createNodeHealth() }
  return (await queryEffects({ voters, apis: [] }, { txHash: TX, blockNumber: 7 })).outcome
}

describe('the quorum’s view of a transaction', () => {
  const differences: readonly [string, PositionedReceipt | null][] = [
    ['amount', withLog({ data: '0x01' })],
    ['sender', withLog({ topics: [TRANSFER_TOPIC, '0x09', '0x02'] })],
    ['recipient', withLog({ topics: [TRANSFER_TOPIC, '0x01', '0x09'] })],
    ['token', withLog({ address: `0x${'71'.repeat(20)}` })],
    ['log index', withLog({ logIndex: 5 })],
    ['block hash', { ...RECEIPT, blockHash: `0x${'b2'.repeat(32)}` }],
    ['block time', { ...RECEIPT, blockTimestamp: 1_001 }],
    ['block number', { ...RECEIPT, blockNumber: 8 }],
    ['number of logs', { ...RECEIPT, logs: [] }],
    ['existence of the receipt', null],
  ]
  for (const [title, other] of differences)
    it(`is undecided while two nodes differ in the ${title}`, async () => {
      expect(await ask(RECEIPT, other)).to.equal('disagreed')
      expect(await ask(other, RECEIPT)).to.equal('disagreed')
    })

  it('is undecided while the second node is silent', async () => {
    expect(await ask(RECEIPT, 'silent')).to.equal('waiting')
  })

  it('does not depend on logs other than transfers and split events, or on the case of hex digits', async () => {
    const others = [{ ...LOG, logIndex: 9, topics: [OTHER_TOPIC] }]
    const louder = { ...withLog({ data: '0x0A' }), logs: [{ ...LOG, data: '0x0A' }, ...others] }
    expect(await ask(RECEIPT, louder as PositionedReceipt)).to.equal('agreed')
  })

  it('is decided if two of three nodes report the same effects', async () => {
    expect(await ask(withLog({ data: '0x01' }), RECEIPT, RECEIPT)).to.equal('agreed')
  })
})
