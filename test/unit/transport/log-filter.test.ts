import { expect } from 'chai'
import fc from 'fast-check'
import { encodeEventTopics, type Hex, pad, toHex } from 'viem'
import { filterOwnLogs, listLookupAddresses, type RpcLog } from '../../../indexer/transport/log-filter.ts'
import { paymentSplitAbi } from '../../../shared/chain/abi/payment-split.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { SPLIT_TOPICS, TRANSFER_TOPIC, toTopic } from '../../../shared/domain/log-topics.ts'

const address = (byte: string) => `0x${byte.repeat(20)}` as Address

const USDC = address('c0')
const FAKE_USDC = address('fa')
const CHARGE = address('11')
const ESCROW = address('e5')
const ESCROW_SPLIT = address('5e')
const STRANGER = address('99')

const EMITTERS = new Set<string>([USDC])
const KNOWN = {
  emitters: EMITTERS,
  ours: new Set<string>([CHARGE, ESCROW, ESCROW_SPLIT]),
  escrows: new Set<string>([ESCROW]),
}

function log(emitter: Hex, ...topics: readonly Hex[]): RpcLog {
  return { address: emitter, topics, blockNumber: '0x1', logIndex: '0x0' }
}

function transfer(from: Address, to: Address, emitter: Hex = USDC): RpcLog {
  return log(emitter, TRANSFER_TOPIC, toTopic(from), toTopic(to))
}

const isKept = (one: RpcLog) => filterOwnLogs([one], KNOWN).length === 1

describe('filterOwnLogs', () => {
  it('keeps a transfer to a charge', () => {
    expect(isKept(transfer(STRANGER, CHARGE))).to.equal(true)
  })

  it('keeps a transfer from an escrow to anyone, because it might be a refund', () => {
    expect(isKept(transfer(ESCROW, STRANGER))).to.equal(true)
  })

  it('drops a transfer from a charge without escrow, because it is a payout', () => {
    expect(isKept(transfer(CHARGE, STRANGER))).to.equal(false)
  })

  it('drops transfers between strangers', () => {
    expect(isKept(transfer(STRANGER, address('98')))).to.equal(false)
  })

  it('drops a transfer of an unknown token, regardless of its name', () => {
    expect(isKept(transfer(STRANGER, CHARGE, FAKE_USDC))).to.equal(false)
  })

  it('matches the emitter in upper and lower case', () => {
    expect(isKept(transfer(STRANGER, CHARGE, USDC.toUpperCase().replace('0X', '0x') as Hex))).to.equal(true)
  })

  it('drops a Transfer of an NFT, which has a token id as a fourth topic', () => {
    const nft = log(USDC, TRANSFER_TOPIC, toTopic(STRANGER), toTopic(CHARGE), toHex(1, { size: 32 }))
    expect(isKept(nft)).to.equal(false)
  })

  it('keeps every event of our splits, but drops the same events of other contracts', () => {
    const topics = [toTopic(USDC), toTopic(STRANGER)]
    expect(SPLIT_TOPICS.map((topic) => isKept(log(CHARGE, topic, ...topics)))).to.deep.equal([
      true,
      true,
      true,
    ])
    expect(SPLIT_TOPICS.map((topic) => isKept(log(STRANGER, topic, ...topics)))).to.deep.equal([
      false,
      false,
      false,
    ])
  })

  it('drops other events of our splits', () => {
    expect(isKept(log(CHARGE, pad('0x01')))).to.equal(false)
    expect(isKept(log(CHARGE))).to.equal(false)
  })

  it('covers exactly the split events SplitDistributed, PayoutHeld and PayoutReleased', () => {
    const names = ['SplitDistributed', 'PayoutHeld', 'PayoutReleased'] as const
    const selectors = names.map((eventName) => encodeEventTopics({ abi: paymentSplitAbi, eventName })[0])
    expect(SPLIT_TOPICS).to.deep.equal(selectors)
  })

  it('keeps the order of the logs', () => {
    const logs = [transfer(STRANGER, ESCROW), transfer(STRANGER, STRANGER), transfer(STRANGER, CHARGE)]
    expect(filterOwnLogs(logs, KNOWN)).to.deep.equal([logs[0], logs[2]])
  })
})

describe('listLookupAddresses', () => {
  it('returns senders and recipients of our tokens’ transfers, and emitters of split events, once each', () => {
    const logs = [
      transfer(STRANGER, CHARGE),
      transfer(CHARGE, STRANGER),
      log(ESCROW_SPLIT, SPLIT_TOPICS[0] ?? '0x', toTopic(USDC), toTopic(STRANGER)),
    ]
    expect(listLookupAddresses(logs, EMITTERS)).to.have.members([STRANGER, CHARGE, ESCROW_SPLIT])
  })

  it('returns no address for unknown tokens', () => {
    expect(listLookupAddresses([transfer(STRANGER, CHARGE, FAKE_USDC)], EMITTERS)).to.deep.equal([])
  })
})

describe('filtering malformed logs', () => {
  const topic = fc.oneof(
    fc.constantFrom(TRANSFER_TOPIC, ...SPLIT_TOPICS, '0x' as Hex),
    fc.uint8Array({ maxLength: 40 }).map((bytes) => toHex(bytes)),
  )
  const anyLog = fc.record({
    address: fc.constantFrom<Hex>(USDC, CHARGE, STRANGER, '0x'),
    topics: fc.array(topic, { maxLength: 5 }),
    blockNumber: fc.constant<Hex>('0x1'),
    logIndex: fc.constant<Hex>('0x0'),
  })

  it('never throws, and keeps only logs whose addresses were looked up', () => {
    fc.assert(
      fc.property(fc.array(anyLog, { maxLength: 8 }), (logs) => {
        const looked = new Set<string>(listLookupAddresses(logs, EMITTERS))
        const ours = new Set([...KNOWN.ours].filter((one) => looked.has(one)))
        expect(filterOwnLogs(logs, { ...KNOWN, ours })).to.deep.equal(filterOwnLogs(logs, KNOWN))
      }),
    )
  })
})
