import { expect } from 'chai'
import type { WatchedDeployment } from '../../../indexer/chain-feed/observe.ts'
import { observeEscrowTransfers } from '../../../indexer/chain-feed/observe-escrow-transfers.ts'
import type { PonderTransfer } from '../../../shared/db/chain-facts/daemon/ponder-tables.ts'
import type { WatchedCharge } from '../../../shared/db/chain-facts/watched-charges.ts'
import type { Address, Hex } from '../../../shared/domain/address.ts'

const address = (byte: string) => `0x${byte.repeat(20)}` as Address
const hash = (byte: string) => `0x${byte.repeat(32)}` as Hex

const USDC = address('c0')
const USDT = address('d0')
const SAFE = address('5a')
const SPLIT = address('55')
const PAYER = address('77')

const base: WatchedDeployment = {
  ...{ chainId: 8453, network: 'base', environment: 'live' },
  tokens: [
    { token: 'USDC', address: USDC, emitter: USDC, decimals: 6, emitterDecimals: 6 },
    { token: 'USDT', address: USDT, emitter: USDT, decimals: 6, emitterDecimals: 6 },
  ],
}

const escrow: WatchedCharge = {
  ...{ id: 'ch_escrow', address: SAFE, splitAddress: SPLIT, environment: 'live' },
  acceptedPayments: ['USDC/base'],
}

const ordinary: WatchedCharge = { ...escrow, id: 'ch_ordinary', address: PAYER, splitAddress: PAYER }

describe('observeEscrowTransfers', () => {
  it('classifies a transfer into the split as a release, and a transfer to any other address as a refund', () => {
    const another = { txHash: hash('02'), logIndex: 1, recipient: PAYER }
    const rows = [transfer({ recipient: SPLIT }), transfer(another)]
    expect(observe(rows)).to.deep.equal([
      {
        ...{ chargeId: 'ch_escrow', action: 'release', chainId: 8453, tokenAddress: USDC, ordinal: 0 },
        ...{ txHash: hash('01'), party: SPLIT, amountAtomic: 10_000_000n, dustAtto: 0n },
        ...{ blockNumber: 10, blockHash: hash('0b'), blockTimestamp: 1_800_000_000, logIndex: 0 },
        ...{ kind: '', isAccepted: true },
      },
      {
        ...{ chargeId: 'ch_escrow', action: 'refund', chainId: 8453, tokenAddress: USDC, ordinal: 0 },
        ...{ txHash: hash('02'), party: PAYER, amountAtomic: 10_000_000n, dustAtto: 0n },
        ...{ blockNumber: 10, blockHash: hash('0b'), blockTimestamp: 1_800_000_000, logIndex: 1 },
        ...{ kind: '', isAccepted: true },
      },
    ])
  })

  it('classifies a transaction as a release if at least 99 percent goes into the split, otherwise as a refund', () => {
    const actionsOf = (intoSplit: bigint, elsewhere: bigint) =>
      observe([
        transfer({ value: elsewhere, recipient: PAYER }),
        transfer({ logIndex: 1, value: intoSplit }),
      ]).map(({ action }) => action)
    expect(actionsOf(990_000n, 10_000n)).to.deep.equal(['release', 'release'])
    expect(actionsOf(989_999n, 10_001n)).to.deep.equal(['refund', 'refund'])
    expect(actionsOf(1n, 999_999n)).to.deep.equal(['refund', 'refund'])
  })

  it('classifies each transaction, token and escrow separately', () => {
    const both = { acceptedPayments: ['USDC/base', 'USDT/base'] }
    const second = { ...escrow, ...both, id: 'ch_second', address: hash('5b').slice(0, 42) as Address }
    const rows = [
      transfer({}),
      transfer({ logIndex: 1, emitter: USDT, recipient: PAYER }),
      transfer({ logIndex: 2, sender: second.address, recipient: PAYER }),
      transfer({ logIndex: 3, txHash: hash('02'), recipient: PAYER }),
    ]
    const observed = observeEscrowTransfers(rows, base, [{ ...escrow, ...both }, second])
    expect(observed.map(({ action }) => action)).to.deep.equal(['release', 'refund', 'refund', 'refund'])
  })

  it('does not count a Safe’s transfer to itself as outgoing', () => {
    const rows = [transfer({ recipient: SAFE, value: 10n ** 9n }), transfer({ logIndex: 1 })]
    expect(observe(rows).map(({ action }) => action)).to.deep.equal(['release'])
  })

  it('gives a transfer of zero an ordinal but skips it, because a stranger can log one from any Safe', () => {
    const rows = [transfer({ value: 0n, recipient: PAYER }), transfer({ logIndex: 1 })]
    expect(observe(rows).map(({ action, ordinal }) => [action, ordinal])).to.deep.equal([['release', 1]])
  })

  it('starts the ordinals at zero in every transaction', () => {
    const rows = [transfer({}), transfer({ logIndex: 1, txHash: hash('02') })]
    expect(observe(rows).map(({ ordinal }) => ordinal)).to.deep.equal([0, 0])
  })

  it('skips a Safe’s transfer to itself', () => {
    expect(observe([transfer({ recipient: SAFE })])).to.deep.equal([])
  })

  it('skips tokens that the charge does not accept', () => {
    expect(observe([transfer({ emitter: USDT })])).to.deep.equal([])
  })

  it('skips transfers from the same address on a chain of the other environment', () => {
    expect(observe([transfer({})], { ...base, environment: 'test' })).to.deep.equal([])
  })

  it('splits an amount with more decimals than the token into the token’s smallest units and a remainder', () => {
    const arc = {
      ...base,
      tokens: [{ token: 'USDC', address: USDC, decimals: 6, emitter: USDT, emitterDecimals: 18 }],
    } as const
    const [movement] = observe([transfer({ emitter: USDT, value: 2_600_000_000_000n })], arc)
    expect(movement).to.include({ tokenAddress: USDC, amountAtomic: 2n, dustAtto: 600_000_000_000n })
    expect(observe([transfer({})])[0]).to.include({ amountAtomic: 10_000_000n, dustAtto: 0n })
  })

  it('skips transfers from the address of a charge without escrow', () => {
    expect(observe([transfer({ sender: PAYER, recipient: SPLIT })])).to.deep.equal([])
  })
})

function observe(rows: readonly PonderTransfer[], deployment = base) {
  return observeEscrowTransfers(rows, deployment, [escrow, ordinary])
}

function transfer(changes: Partial<PonderTransfer>): PonderTransfer {
  return {
    ...{ txHash: hash('01'), logIndex: 0, blockNumber: 10, blockHash: hash('0b') },
    ...{ blockTimestamp: 1_800_000_000, emitter: USDC, sender: SAFE, recipient: SPLIT, value: 10_000_000n },
    ...changes,
  }
}
