import { expect } from 'chai'
import { type ChargeOutcome, decideCharge } from '../../../indexer/charges/decide-charge.ts'
import type { ChargeRow } from '../../../shared/db/charges/charge-row.ts'
import type { PairLedger } from '../../../shared/db/charges/daemon/charge-state.ts'
import type { DueEscrowTransfer } from '../../../shared/db/escrow/daemon/escrow-transfers.ts'
import { atto } from '../../../shared/domain/money.ts'
import {
  buildCharge,
  buildCredit,
  buildInbox,
  buildSplitEvent,
  CHAINS,
  getTokenAddress,
  MERCHANT,
  units,
} from '../../support/factories.ts'

const NOW = new Date('2026-11-20T12:30:00.000Z')
const PAID = {
  ...{ creditedAtomic: units(10), settlementAtomic: units(10) },
  ...{ withdrawnAtomic: units(0), releasedAtomic: units(0) },
  distributedAtomic: units(0),
  ...{
    creditedDustAtto: atto(0n),
    settlementDustAtto: atto(0n),
    withdrawnDustAtto: atto(0n),
    releasedDustAtto: atto(0n),
  },
}

describe('an escrow charge', () => {
  it('does not open a payout for a payment, because the money is in the Safe', () => {
    const mail = buildInbox({
      charge: escrow({ status: 'pending', confirmedAt: null }),
      credits: [buildCredit({ valueAtomic: units(10) })],
    })
    const decision = decideCharge(mail, NOW)
    expect(decision).to.deep.include({ events: ['charge.confirmed'], opensPayouts: false })
    expect(decision.state.settlementStatus).to.equal(null)
    expect(decision.ledgers[0]).to.deep.include({ creditedAtomic: units(10), releasedAtomic: 0n })
  })

  it('changes only the ledger for a transfer out of the Safe, and pays out the amount that reached the split', () => {
    const decision = decide([movement({ amountAtomic: units(4) }), movement({ action: 'refund' })])
    expect(decision).to.deep.include({ events: [], opensPayouts: true })
    expect(decision.state).to.deep.include({
      ...{ settlementStatus: null, escrowReleasedAt: null, escrowRefundedAt: null },
    })
    expect(decision.ledgers[0]).to.deep.include({ creditedAtomic: units(10), releasedAtomic: units(4) })
  })

  it('does not open a payout for a transfer from the Safe to another address', () => {
    const decision = decide([movement({ action: 'refund' })])
    expect(decision).to.deep.include({ events: [], opensPayouts: false, ledgers: [] })
  })

  it('opens the payout and sends an event at a release through the API', () => {
    const decision = end('released', { byEndpoint: true })
    expect(decision).to.deep.include({ events: ['charge.escrow_released'], opensPayouts: true })
    expect(decision.state).to.deep.include({ settlementStatus: 'pending', escrowReleasedAt: NOW })
  })

  it('opens the payout without an event at a release that the releaser made on chain', () => {
    const decision = end('released')
    expect(decision).to.deep.include({ events: [], opensPayouts: true })
    expect(decision.state).to.deep.include({ settlementStatus: 'pending', escrowReleasedAt: NOW })
  })

  it('is settled at its release if the whole amount in the split is already distributed', () => {
    const ledger = { ...LEDGER, releasedAtomic: units(10), distributedAtomic: units(10) }
    const decision = end('released', { byEndpoint: true, ledger })
    expect(decision.events).to.deep.equal(['charge.escrow_released', 'charge.settled'])
    expect(decision.state).to.deep.include({ settlementStatus: 'completed', settledAt: NOW })
  })

  it('is settled by the amount that reached the split, even if the Safe held more', () => {
    const ledger = { ...LEDGER, releasedAtomic: units(9.9), distributedAtomic: units(9.9) }
    const decision = end('released', { ledger })
    expect(decision.events).to.deep.equal(['charge.settled'])
    expect(decision.ledgers[0]).to.deep.include({ settlementAtomic: units(9.9) })
  })

  it('is not settled before the amount in the split is distributed', () => {
    const decision = end('released', { ledger: { ...LEDGER, releasedAtomic: units(9.9) } })
    expect(decision.events).to.deep.equal([])
    expect(decision.state).to.deep.include({ settlementStatus: 'pending', settledAt: null })
  })

  it('is settled without transfers that the releaser makes after the release', () => {
    const charge = escrow({ escrowReleasedAt: NOW, settlementStatus: 'pending' })
    const ledger = { ...LEDGER, settlementAtomic: units(9.9), releasedAtomic: units(9.9) }
    const decision = decide([movement({ amountAtomic: units(0.1) })], {
      ...{ charge, ledgers: [ledger] },
      splitEvents: [buildSplitEvent({ amountAtomic: units(9.9) })],
    })
    expect(decision.events).to.deep.equal(['charge.settled'])
  })

  it('is settled without payments that arrive in the Safe after the release', () => {
    const released = { escrowReleasedAt: NOW, settlementStatus: 'pending' as const }
    const charge = escrow({ ...released, status: 'partially_paid', onTimeAtto: atto(5n * 10n ** 18n) })
    const ledger = {
      ...LEDGER,
      settlementAtomic: units(5),
      releasedAtomic: units(5),
      creditedAtomic: units(5),
    }
    const decision = decide([], {
      ...{ charge, ledgers: [ledger], credits: [buildCredit({ valueAtomic: units(5) })] },
      splitEvents: [buildSplitEvent({ amountAtomic: units(5) })],
    })
    expect(decision.events).to.include.members(['charge.confirmed', 'charge.settled'])
    // This amount stays the same if the releaser also forwards the late payment.
    expect(decision.ledgers[0]).to.deep.include({ settlementAtomic: units(5) })
  })

  it('requires the distribution of the amount that reached the split, even if all payments were late', () => {
    const ledger = { ...LEDGER, settlementAtomic: units(0), releasedAtomic: units(10) }
    const charge = escrow({ status: 'pending', confirmedAt: null, receivedAtto: atto(10n ** 19n) })
    const decision = end('released', { ledger, charge })
    expect(decision.ledgers[0]).to.deep.include({ settlementAtomic: units(10) })
  })

  it('is settled by the amount that reached the split, even if the only payment in time stayed in the Safe', () => {
    const dust = { ...LEDGER, settlementAtomic: units(0.01), creditedAtomic: units(0.01) }
    const other = { token: 'USDT', tokenAddress: getTokenAddress('base', 'USDT') } as const
    const paid = { ...LEDGER, ...other, settlementAtomic: units(0), releasedAtomic: units(10) }
    const mail = { charge: escrow(), ledgers: [dust, { ...paid, distributedAtomic: units(10) }] }
    const decision = decide([], { ...mail, facts: [{ type: 'escrow.released', byEndpoint: true }] })
    expect(decision.events).to.deep.equal(['charge.escrow_released', 'charge.settled'])
  })

  it('is not settled while its status is pending, and is settled at its expiry', () => {
    const paid = { receivedAtto: atto(10n ** 19n), settlementStatus: 'pending' as const, confirmedAt: null }
    const charge = escrow({ status: 'pending', escrowReleasedAt: NOW, ...paid })
    const ledger = { ...LEDGER, releasedAtomic: units(10) }
    const distribution = [buildSplitEvent({ amountAtomic: units(10) })]
    const early = decide([], { charge, ledgers: [ledger], splitEvents: distribution })
    expect(early.events).to.deep.equal([])
    const ledgers = [{ ...ledger, distributedAtomic: units(10) }]
    const late = decide([], { charge, ledgers, isDeadlinePassed: true })
    expect(late.events).to.deep.equal(['charge.expired', 'charge.settled'])
  })

  it('is settled at a release after its deadline if the released amount is already distributed', () => {
    const paid = { receivedAtto: atto(10n ** 19n), onTimeAtto: atto(0n), confirmedAt: null }
    const charge = escrow({ status: 'expired', ...paid })
    const amounts = { settlementAtomic: units(0), releasedAtomic: units(10), distributedAtomic: units(10) }
    const decision = end('released', { charge, ledger: { ...LEDGER, ...amounts } })
    expect(decision.events).to.deep.equal(['charge.settled'])
    expect(decision.state).to.include({ settlementStatus: 'completed' })
  })

  it('is not settled by a refund', () => {
    const decision = end('refunded', { byEndpoint: true })
    expect(decision).to.deep.include({ events: ['charge.escrow_refunded'], opensPayouts: false })
    expect(decision.state).to.deep.include({
      ...{ settlementStatus: null, escrowRefundedAt: NOW, escrowReleasedAt: null },
    })
    expect(decision.ledgers).to.deep.equal([])
  })

  it('stays released, without another event, if another release or a refund follows', () => {
    const charge = escrow({ escrowReleasedAt: NOW, settlementStatus: 'completed', settledAt: NOW })
    for (const type of ['released', 'refunded'] as const) {
      const decision = end(type, { byEndpoint: true, charge })
      expect(decision.events).to.deep.equal([])
      expect(decision.state).to.deep.include({ escrowReleasedAt: NOW, escrowRefundedAt: null })
    }
  })

  it('opens the payout again if the releaser forwards a payment that arrived after the release', () => {
    const charge = escrow({ escrowReleasedAt: NOW, settlementStatus: 'completed', settledAt: NOW })
    const ledger = { ...LEDGER, releasedAtomic: units(10), distributedAtomic: units(10) }
    const decision = decide([movement({ amountAtomic: units(3) })], { charge, ledgers: [ledger] })
    expect(decision).to.deep.include({ events: [], opensPayouts: true })
    expect(decision.ledgers[0]?.releasedAtomic).to.equal(units(13))
    expect(decision.state.settlementStatus).to.equal('completed')
  })

  it('pays out a transfer into the split after a refund', () => {
    const charge = escrow({ escrowRefundedAt: NOW })
    const decision = decide([movement({ amountAtomic: units(8) })], { charge })
    expect(decision).to.deep.include({ events: [], opensPayouts: true })
    expect(decision.state).to.deep.include({ settlementStatus: null, escrowReleasedAt: null })
    expect(decision.ledgers[0]?.releasedAtomic).to.equal(units(8))
  })

  it('records the block hash and content of each counted escrow transfer', () => {
    const told = movement({})
    const { id, blockHash, action, recipient, amountAtomic, dustAtto } = told
    expect(decide([told]).escrowMovements).to.deep.equal([
      { id, blockHash, action, recipient, amountAtomic, dustAtto },
    ])
  })
})

const LEDGER: PairLedger = {
  ...{ chargeId: 'ch_one', network: CHAINS.base.network, token: 'USDC', chainId: CHAINS.base.chainId },
  ...{ tokenAddress: getTokenAddress('base'), decimals: 6, merchantHeldAtomic: units(0) },
  ...PAID,
}

function decide(
  escrowMovements: readonly DueEscrowTransfer[],
  changes: Parameters<typeof buildInbox>[0] = {},
): ChargeOutcome {
  return decideCharge(buildInbox({ charge: escrow(), ledgers: [LEDGER], escrowMovements, ...changes }), NOW)
}

function end(
  how: 'released' | 'refunded',
  of: { readonly byEndpoint?: boolean; readonly ledger?: PairLedger; readonly charge?: ChargeRow } = {},
): ChargeOutcome {
  const { byEndpoint = false, ledger = LEDGER, charge = escrow() } = of
  return decide([], { charge, ledgers: [ledger], facts: [{ type: `escrow.${how}`, byEndpoint }] })
}

/** Builds an escrow charge of 10 dollars, which is paid by default. */
function escrow(columns: Partial<ChargeRow> = {}): ChargeRow {
  const received = columns.status === 'pending' ? null : atto(10n ** 19n)
  return buildCharge({
    ...{ status: 'confirmed', confirmedAt: NOW, receivedAtto: received, onTimeAtto: received ?? atto(0n) },
    escrowReleaser: MERCHANT,
    ...columns,
  })
}

function movement(changes: Partial<DueEscrowTransfer>): DueEscrowTransfer {
  const { chainId, network } = CHAINS.base
  return {
    ...{ id: 7, chargeId: 'ch_one', action: 'release', network, token: 'USDC', chainId },
    ...{
      tokenAddress: getTokenAddress('base'),
      decimals: 6,
      amountAtomic: units(10),
      dustAtto: atto(0n),
      blockHash: '0x0b',
    },
    recipient: escrow().splitAddress,
    isIntoSplit: changes.action !== 'refund',
    ...changes,
  }
}
