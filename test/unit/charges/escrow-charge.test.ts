import { expect } from 'chai'
import { type ChargeDecision, decideCharge } from '../../../indexer/charges/decide-charge.ts'
import type { ChargeRow } from '../../../shared/db/charges/charge-row.ts'
import type { PairLedger } from '../../../shared/db/charges/daemon/charge-state.ts'
import type { DueEscrowMovement } from '../../../shared/db/escrow/daemon/escrow-movements.ts'
import { atto } from '../../../shared/domain/money.ts'
import {
  buildCharge,
  buildCredit,
  buildMail,
  buildSplitEvent,
  CHAINS,
  MERCHANT,
  tokenAddressOf,
  units,
} from '../../support/factories.ts'

const NOW = new Date('2026-11-20T12:30:00.000Z')
const PAID = {
  ...{ creditedAtomic: units(10), settlingAtomic: units(10) },
  ...{ leftSafeAtomic: units(0), releasedAtomic: units(0) },
  distributedAtomic: units(0),
  ...{
    creditedDustAtto: atto(0n),
    settlingDustAtto: atto(0n),
    leftSafeDustAtto: atto(0n),
    releasedDustAtto: atto(0n),
  },
}

describe('deciding on an escrow charge', () => {
  it('opens no payout by a payment: the money lies in the Safe', () => {
    const mail = buildMail({
      charge: escrow({ status: 'pending', confirmedAt: null }),
      credits: [buildCredit({ valueAtomic: units(10) })],
    })
    const decision = decideCharge(mail, NOW)
    expect(decision).to.deep.include({ events: ['charge.confirmed'], opensPayouts: false })
    expect(decision.state.settlementStatus).to.equal(null)
    expect(decision.ledgers[0]).to.deep.include({ creditedAtomic: units(10), releasedAtomic: 0n })
  })

  it('opens the payout of what reached the split by a release, and tells of one by our endpoint', () => {
    const decision = decide([movement({ isByEndpoint: true })])
    expect(decision).to.deep.include({ events: ['charge.escrow_released'], opensPayouts: true })
    expect(decision.state).to.deep.include({ settlementStatus: 'pending', escrowReleasedAt: NOW })
    expect(decision.ledgers[0]).to.deep.include({ creditedAtomic: units(10), releasedAtomic: units(10) })
  })

  it('does the same, silently, when the releaser acted on chain', () => {
    const decision = decide([movement({})])
    expect(decision).to.deep.include({ events: [], opensPayouts: true })
    expect(decision.state).to.deep.include({ settlementStatus: 'pending', escrowReleasedAt: NOW })
  })

  it('is settled in one turn when the release distributed too', () => {
    const decision = decide([movement({ isByEndpoint: true })], {
      splitEvents: [buildSplitEvent({ amountAtomic: units(10) })],
    })
    expect(decision.events).to.deep.equal(['charge.escrow_released', 'charge.settled'])
    expect(decision.state).to.deep.include({ settlementStatus: 'completed', settledAt: NOW })
  })

  it('is not settled by the release of a cent, nor of one of two pairs', () => {
    const cent = decide([movement({ amountAtomic: units(0.01) })], {
      splitEvents: [buildSplitEvent({ amountAtomic: units(0.01) })],
    })
    expect(cent.events).to.deep.equal([])
    expect(cent.state).to.deep.include({ settlementStatus: 'pending', escrowReleasedAt: NOW })
    const other = { ...LEDGER, network: CHAINS.bnb.network, chainId: CHAINS.bnb.chainId }
    const one = decide([movement({})], {
      ledgers: [LEDGER, other],
      splitEvents: [buildSplitEvent({ amountAtomic: units(10) })],
    })
    expect(one.state).to.deep.include({ settlementStatus: 'pending', settledAt: null })
  })

  it('is settled when the releaser has sent on the rest', () => {
    const charge = escrow({ escrowReleasedAt: NOW, settlementStatus: 'pending' })
    const sent = { leftSafeAtomic: units(4), releasedAtomic: units(4), distributedAtomic: units(4) }
    const ledger = { ...LEDGER, ...sent }
    const decision = decide([movement({ amountAtomic: units(6) })], {
      ...{ charge, ledgers: [ledger] },
      splitEvents: [buildSplitEvent({ amountAtomic: units(6) })],
    })
    expect(decision.events).to.deep.equal(['charge.settled'])
  })

  it('settles nothing by a refund', () => {
    const decision = decide([movement({ action: 'refund', isByEndpoint: true })])
    expect(decision).to.deep.include({ events: ['charge.escrow_refunded'], opensPayouts: false })
    expect(decision.state).to.deep.include({ settlementStatus: null, escrowRefundedAt: NOW })
    expect(decision.state.escrowReleasedAt).to.equal(null)
    expect(decision.ledgers).to.deep.equal([])
  })

  it('is what the first movement made it, whatever follows', () => {
    const first = decide([movement({ action: 'refund' }), movement({ isByEndpoint: true })])
    expect(first.state).to.deep.include({ escrowRefundedAt: NOW, escrowReleasedAt: null })
    const released = escrow({ escrowReleasedAt: NOW, settlementStatus: 'completed', settledAt: NOW })
    const later = decide([movement({ action: 'refund', isByEndpoint: true })], { charge: released })
    expect(later.events).to.deep.equal([])
    expect(later.state).to.deep.include({ escrowReleasedAt: NOW, escrowRefundedAt: null })
  })

  it('opens the payout again when the releaser sends on what came after the release', () => {
    const charge = escrow({ escrowReleasedAt: NOW, settlementStatus: 'completed', settledAt: NOW })
    const ledger = { ...LEDGER, releasedAtomic: units(10), distributedAtomic: units(10) }
    const decision = decide([movement({ amountAtomic: units(3) })], { charge, ledgers: [ledger] })
    expect(decision).to.deep.include({ events: [], opensPayouts: true })
    expect(decision.ledgers[0]?.releasedAtomic).to.equal(units(13))
    expect(decision.state.settlementStatus).to.equal('completed')
  })

  it('is settled by a release of which the token took a fee: that counts as released, and nobody waits for it', () => {
    const decision = decide(
      [
        movement({ amountAtomic: units(0.02), isIntoSplit: false }),
        movement({ amountAtomic: units(9.98), isByEndpoint: true }),
      ],
      { splitEvents: [buildSplitEvent({ amountAtomic: units(9.98) })] },
    )
    expect(decision.state).to.deep.include({ settlementStatus: 'completed', escrowReleasedAt: NOW })
    expect(decision.ledgers[0]).to.deep.include({
      ...{ leftSafeAtomic: units(10), releasedAtomic: units(9.98), distributedAtomic: units(9.98) },
    })
  })

  it('pays out what a refund sent into the split, and settles nothing by it', () => {
    const decision = decide(
      [
        movement({ action: 'refund', amountAtomic: units(2) }),
        movement({ action: 'refund', amountAtomic: units(8), isIntoSplit: true }),
      ],
      { splitEvents: [buildSplitEvent({ amountAtomic: units(8) })] },
    )
    expect(decision).to.deep.include({ events: [], opensPayouts: true })
    expect(decision.state).to.deep.include({
      ...{ settlementStatus: null, escrowReleasedAt: null, escrowRefundedAt: NOW },
    })
    expect(decision.ledgers[0]).to.deep.include({ leftSafeAtomic: 0n, releasedAtomic: units(8) })
  })

  it('pays out what is sent into the split after a refund', () => {
    const charge = escrow({ escrowRefundedAt: NOW })
    const decision = decide([movement({ amountAtomic: units(8) })], { charge })
    expect(decision).to.deep.include({ events: [], opensPayouts: true })
    expect(decision.state).to.deep.include({ settlementStatus: null, escrowReleasedAt: null })
    expect(decision.ledgers[0]?.releasedAtomic).to.equal(units(8))
  })

  it('remembers which inclusion of a movement it was told of, and what that said', () => {
    const told = movement({})
    const { id, blockHash, action, recipient, amountAtomic, dustAtto } = told
    expect(decide([told]).escrowMovements).to.deep.equal([
      { id, blockHash, action, recipient, amountAtomic, dustAtto },
    ])
  })
})

const LEDGER: PairLedger = {
  ...{ chargeId: 'ch_one', network: CHAINS.base.network, token: 'USDC', chainId: CHAINS.base.chainId },
  ...{ tokenAddress: tokenAddressOf('base'), decimals: 6, merchantHeldAtomic: units(0) },
  ...PAID,
}

function decide(
  escrowMovements: readonly DueEscrowMovement[],
  changes: Parameters<typeof buildMail>[0] = {},
): ChargeDecision {
  return decideCharge(buildMail({ charge: escrow(), ledgers: [LEDGER], escrowMovements, ...changes }), NOW)
}

/** An escrow charge of 10 dollars, paid. */
function escrow(columns: Partial<ChargeRow> = {}): ChargeRow {
  const received = columns.status === 'pending' ? null : atto(10n ** 19n)
  return buildCharge({
    ...{ status: 'confirmed', confirmedAt: NOW, receivedAtto: received, onTimeAtto: received ?? atto(0n) },
    escrowReleaser: MERCHANT,
    ...columns,
  })
}

function movement(changes: Partial<DueEscrowMovement>): DueEscrowMovement {
  const { chainId, network } = CHAINS.base
  return {
    ...{ id: 7, chargeId: 'ch_one', action: 'release', network, token: 'USDC', chainId },
    ...{
      tokenAddress: tokenAddressOf('base'),
      decimals: 6,
      amountAtomic: units(10),
      dustAtto: atto(0n),
      blockHash: '0x0b',
      isByEndpoint: false,
    },
    recipient: escrow().splitAddress,
    isIntoSplit: changes.action !== 'refund',
    ...changes,
  }
}
