import { expect } from 'chai'
import {
  listAddresses,
  observeSplitEvents,
  observeTransfers,
  type WatchedDeployment,
} from '../../../indexer/chain-feed/observe.ts'
import type { PonderSplitEvent, PonderTransfer } from '../../../shared/db/chain-facts/daemon/ponder-tables.ts'
import type { WatchedCharge } from '../../../shared/db/chain-facts/watched-charges.ts'
import type { Address, Hex } from '../../../shared/domain/address.ts'

const address = (byte: string) => `0x${byte.repeat(20)}` as Address
const hash = (byte: string) => `0x${byte.repeat(32)}` as Hex

const USDC = address('c0')
const USDT = address('d0')
const SYSTEM = address('ff')
const PAYER = address('77')

const base: WatchedDeployment = {
  chainId: 8453,
  network: 'base',
  environment: 'live',
  tokens: [
    { token: 'USDC', address: USDC, emitter: USDC, decimals: 6, emitterDecimals: 6 },
    { token: 'USDT', address: USDT, emitter: USDT, decimals: 6, emitterDecimals: 6 },
  ],
}

function charge(id: string, changes: Partial<WatchedCharge> = {}): WatchedCharge {
  const own = address(id)
  return {
    id: `ch_${id}`,
    address: own,
    splitAddress: own,
    environment: 'live',
    acceptedPayments: ['USDC/base'],
    ...changes,
  }
}

function transfer(changes: Partial<PonderTransfer>): PonderTransfer {
  return {
    txHash: hash('01'),
    logIndex: 0,
    blockNumber: 10,
    blockHash: hash('0b'),
    blockTimestamp: 1_800_000_000,
    emitter: USDC,
    sender: PAYER,
    recipient: address('11'),
    value: 10_000_000n,
    ...changes,
  }
}

function splitEvent(changes: Partial<PonderSplitEvent>): PonderSplitEvent {
  const { txHash, logIndex, blockNumber, blockHash, blockTimestamp } = transfer({})
  return {
    ...{ txHash, logIndex, blockNumber, blockHash, blockTimestamp },
    split: address('11'),
    kind: 'distributed',
    token: USDC,
    account: PAYER,
    amount: 5n,
    ...changes,
  }
}

const ordinals = (rows: readonly { chargeId: string; token: string; ordinal: number }[]) =>
  rows.map((row) => `${row.chargeId} ${row.token} ${row.ordinal}`)

describe('observeTransfers', () => {
  it('assigns a transfer to its charge, and converts its amount to dollars with 18 decimals', () => {
    expect(observeTransfers([transfer({})], base, [charge('11')])).to.deep.equal([
      {
        chargeId: 'ch_11',
        token: 'USDC',
        network: 'base',
        source: 'contract_watcher',
        chainId: 8453,
        tokenAddress: USDC,
        txHash: hash('01'),
        ordinal: 0,
        kind: '',
        party: PAYER,
        amountAtomic: 10_000_000n,
        isAccepted: true,
        amountAtto: 10_000_000_000_000_000_000n,
        rejectionReason: null,
        blockNumber: 10,
        blockHash: hash('0b'),
        blockTimestamp: 1_800_000_000,
        logIndex: 0,
      },
    ])
  })

  it('numbers transfers per transaction, token and charge, in log order, not row order', () => {
    const rows = [
      transfer({ logIndex: 5, value: 3n }),
      transfer({ logIndex: 1, value: 1n }),
      transfer({ logIndex: 2, recipient: address('22') }),
      transfer({ logIndex: 3, emitter: USDT }),
      transfer({ logIndex: 9, txHash: hash('02') }),
    ]
    expect(ordinals(observeTransfers(rows, base, [charge('11'), charge('22')]))).to.deep.equal([
      'ch_11 USDC 0',
      'ch_22 USDC 0',
      'ch_11 USDT 0',
      'ch_11 USDC 1',
      'ch_11 USDC 0',
    ])
  })

  it('gives a transfer of zero an ordinal but drops it', () => {
    const rows = [transfer({ logIndex: 0, value: 0n }), transfer({ logIndex: 1 })]
    expect(ordinals(observeTransfers(rows, base, [charge('11')]))).to.deep.equal(['ch_11 USDC 1'])
  })

  it('returns the same ordinals when the transaction is included at other log indexes', () => {
    const rows = [transfer({ logIndex: 4, value: 1n }), transfer({ logIndex: 7, value: 2n })]
    const later = rows.map((row) => ({
      ...row,
      logIndex: row.logIndex + 90,
      blockNumber: 12,
      blockHash: hash('0c'),
    }))
    const identities = (of: readonly PonderTransfer[]) =>
      observeTransfers(of, base, [charge('11')]).map(({ ordinal, amountAtomic }) => [ordinal, amountAtomic])
    expect(identities(later)).to.deep.equal(identities(rows))
  })

  it('does not accept a payment on a pair that the charge does not name', () => {
    const [row] = observeTransfers([transfer({ emitter: USDT })], base, [charge('11')])
    expect(row).to.include({ token: 'USDT', rejectionReason: 'pair_not_accepted' })
  })

  it('does not accept testnet money for a live charge, or live money for a test charge', () => {
    const test = { ...base, chainId: 84532, environment: 'test' } as const
    expect(observeTransfers([transfer({})], test, [charge('11')])[0]?.rejectionReason).to.equal(
      'pair_not_accepted',
    )
    const testCharge = charge('11', { environment: 'test' })
    expect(observeTransfers([transfer({})], base, [testCharge])[0]?.rejectionReason).to.equal(
      'pair_not_accepted',
    )
    expect(observeTransfers([transfer({})], test, [testCharge])[0]?.rejectionReason).to.equal(null)
  })

  it('reads the amounts with the emitter’s decimals if the emitter is not the token', () => {
    const arc: WatchedDeployment = {
      ...base,
      network: 'arc',
      tokens: [{ token: 'USDC', address: USDC, emitter: SYSTEM, decimals: 6, emitterDecimals: 18 }],
    }
    const rows = [transfer({ emitter: SYSTEM, value: 7n }), transfer({ emitter: USDC, logIndex: 1 })]
    const observed = observeTransfers(rows, arc, [charge('11', { acceptedPayments: ['USDC/arc'] })])
    expect(observed).to.have.length(1)
    expect(observed[0]).to.include({ tokenAddress: USDC, amountAtto: 7n, rejectionReason: null })
  })

  it('skips transfers from an escrow, because only transfers to its address are payments', () => {
    const escrow = charge('11', { splitAddress: address('55') })
    const release = transfer({ sender: escrow.address, recipient: escrow.splitAddress })
    expect(observeTransfers([release], base, [escrow])).to.deep.equal([])
  })

  it('records transfers from the charge’s own address or split without crediting them', () => {
    const escrow = charge('11', { splitAddress: address('55') })
    const rows = [
      transfer({ sender: escrow.address }),
      transfer({ logIndex: 1, sender: escrow.splitAddress }),
      transfer({ logIndex: 2 }),
    ]
    const observed = observeTransfers(rows, base, [escrow])
    expect(observed.map(({ ordinal, rejectionReason }) => [ordinal, rejectionReason])).to.deep.equal([
      [0, 'own_money'],
      [1, 'own_money'],
      [2, null],
    ])
    const toItself = transfer({ sender: address('11') })
    expect(observeTransfers([toItself], base, [charge('11')])[0]?.rejectionReason).to.equal('own_money')
  })

  it('credits a transfer from another charge’s Safe or split, because that money never belonged to this charge', () => {
    const other = charge('22', { splitAddress: address('66') })
    const rows = [transfer({ sender: other.address }), transfer({ logIndex: 1, sender: other.splitAddress })]
    const observed = observeTransfers(rows, base, [charge('11'), other])
    expect(observed.map(({ rejectionReason }) => rejectionReason)).to.deep.equal([null, null])
  })
})

describe('observeSplitEvents', () => {
  it('assigns an event to the charge of its split, and numbers events per kind and token', () => {
    const rows = [
      splitEvent({ logIndex: 3 }),
      splitEvent({ logIndex: 1 }),
      splitEvent({ logIndex: 2, kind: 'held' }),
      splitEvent({ logIndex: 4, token: USDT }),
    ]
    const observed = observeSplitEvents(rows, base, [charge('11')])
    expect(
      observed.map(({ kind, tokenAddress, ordinal, logIndex }) => [kind, tokenAddress, ordinal, logIndex]),
    ).to.deep.equal([
      ['distributed', USDC, 0, 1],
      ['held', USDC, 0, 2],
      ['distributed', USDC, 1, 3],
      ['distributed', USDT, 0, 4],
    ])
  })

  it('identifies an escrow by its split, not by its payment address', () => {
    const escrow = charge('11', { splitAddress: address('55') })
    expect(observeSplitEvents([splitEvent({ split: address('55') })], base, [escrow])).to.have.length(1)
    expect(observeSplitEvents([splitEvent({ split: address('11') })], base, [escrow])).to.have.length(0)
  })

  it('skips testnet events of a live charge’s split, and live events of a test charge’s split', () => {
    const testnet: WatchedDeployment = { ...base, chainId: 84532, environment: 'test' }
    expect(observeSplitEvents([splitEvent({})], testnet, [charge('11')])).to.deep.equal([])
    expect(observeSplitEvents([splitEvent({})], base, [charge('11', { environment: 'test' })])).to.deep.equal(
      [],
    )
  })

  it('skips tokens in which no charge can be paid', () => {
    expect(observeSplitEvents([splitEvent({ token: address('fa') })], base, [charge('11')])).to.deep.equal([])
  })
})

describe('listAddresses', () => {
  it('lists senders, recipients and splits once each, because outgoing transfers identify escrows', () => {
    const snapshot = {
      transfers: [transfer({}), transfer({ logIndex: 1 })],
      splitEvents: [splitEvent({}), splitEvent({ split: address('55') })],
    }
    expect(listAddresses(snapshot)).to.have.members([PAYER, address('11'), address('55')])
  })
})
