import { expect } from 'chai'
import * as fc from 'fast-check'
import type { ChargeFact } from '../../machines/charge.ts'
import type { PairLedger } from '../../shared/db/charge-state.ts'
import { atomic } from '../../shared/domain/money.ts'
import {
  buildCharge,
  buildCredit,
  buildSplitEvent,
  type ChainName,
  MERCHANT,
  units,
} from '../support/factories.ts'
import { isOpen, type Lived, live, lives, QUIET } from './charge-life.ts'

describe('laws of a settlement, whatever happens to the charge', () => {
  it('has counted the distributions at depth, and those alone', () => {
    check((lived) => {
      const deep = lived.flatMap(({ step }) => step.splitEvents).filter(({ isDeep }) => isDeep)
      for (const ledger of lived.at(-1)?.ledgers ?? []) {
        const ours = deep.filter(({ tokenAddress }) => tokenAddress === ledger.tokenAddress)
        const total = (kind: string, account?: string) =>
          ours
            .filter((event) => event.kind === kind && (account === undefined || event.account === account))
            .reduce((all, { amountAtomic }) => all + amountAtomic, 0n)
        expect(ledger.distributedAtomic).to.equal(total('distributed'))
        expect(ledger.merchantHeldAtomic).to.equal(total('held', MERCHANT) - total('released', MERCHANT))
      }
    })
  })

  it('is completed exactly when every credited pair is covered and the merchant is owed nothing held', () => {
    check((lived) => {
      for (const [turn, { charge, ledgers, decision }] of lived.entries()) {
        const isSettledNow = decision.events.includes('charge.settled')
        if (isSettledNow) expect(ledgers.every(isPaidOut), 'settled too early').to.equal(true)
        const wasOpen = lived[turn - 1]?.charge.settlementStatus !== 'completed'
        const isQueued = charge.settlementStatus !== null
        if (isQueued && wasOpen && ledgers.every(isPaidOut))
          expect(isSettledNow, 'not settled').to.equal(true)
      }
    })
  })

  it('stays completed, since the moment it first was', () => {
    check((lived) => {
      const settled = lived.filter(({ charge }) => charge.settledAt !== null)
      for (const { charge } of settled) {
        expect(charge.settlementStatus).to.equal('completed')
        expect(charge.settledAt).to.deep.equal(settled[0]?.charge.settledAt)
      }
    })
  })

  it('opens payouts when the charge has ended with money, and for whatever comes later; never before', () => {
    check((lived) => {
      for (const [turn, { charge, step, decision }] of lived.entries()) {
        const before = lived[turn - 1]?.charge ?? buildCharge()
        const hasEndedNow = isOpen(before) && !isOpen(charge)
        const isPayable = hasEndedNow
          ? charge.receivedAtto !== null
          : !isOpen(charge) && step.credits.length > 0
        expect(decision.opensPayouts).to.equal(isPayable)
        expect(charge.settlementStatus === null).to.equal(isOpen(charge) || charge.receivedAtto === null)
      }
    })
  })

  it('is completed at once if a keeper distributed before we credited, on one pair or several', () => {
    const chains = fc.subarray<ChainName>(['base', 'bnb'], { minLength: 1 })
    fc.assert(
      fc.property(chains, fc.boolean(), (of, isSameTurn) => {
        const paid = of.map((chain) => ({ chain, amount: units(10, chain) }))
        const splitEvents = paid.map(({ chain, amount }) => buildSplitEvent({ chain, amountAtomic: amount }))
        const credits = paid.map(({ chain, amount }) => buildCredit({ chain, valueAtomic: amount }))
        const steps = isSameTurn
          ? [{ ...QUIET, splitEvents, credits }]
          : [
              { ...QUIET, splitEvents },
              { ...QUIET, credits },
            ]
        const lived = live(steps)
        expect(lived.at(-1)?.charge).to.include({ status: 'confirmed', settlementStatus: 'completed' })
        expect(lived.flatMap(({ decision }) => decision.events)).to.include.members([
          'charge.confirmed',
          'charge.settled',
        ])
      }),
    )
  })

  it('never settles or pays out of an escrow before its release, nor after a refund', () => {
    const moved = fc.constantFrom<ChargeFact>(
      { type: 'escrow.released', byEndpoint: true },
      { type: 'escrow.released', byEndpoint: false },
      { type: 'escrow.refunded', byEndpoint: true },
      { type: 'escrow.refunded', byEndpoint: false },
    )
    fc.assert(
      fc.property(lives, fc.array(fc.tuple(fc.nat(9), moved), { maxLength: 3 }), (steps, movements) => {
        const told = steps.map((step, turn) => ({
          ...step,
          facts: [...step.facts, ...movements.filter(([at]) => at === turn).map(([, fact]) => fact)],
        }))
        for (const { charge, decision } of live(told, buildCharge({ escrowReleaser: MERCHANT }))) {
          expect(charge.escrowReleasedAt === null || charge.escrowRefundedAt === null).to.equal(true)
          if (charge.escrowReleasedAt !== null) continue
          expect(decision.opensPayouts).to.equal(false)
          expect(charge.settlementStatus).to.equal(null)
        }
      }),
    )
  })
})

/** Many lives: few of them have a share held on a pair that is covered. */
function check(law: (lived: readonly Lived[]) => void): void {
  fc.assert(
    fc.property(lives, (steps) => law(live(steps))),
    { numRuns: 300 },
  )
}

function isPaidOut({ creditedAtomic, distributedAtomic, merchantHeldAtomic }: PairLedger): boolean {
  return creditedAtomic === atomic(0n) || (distributedAtomic >= creditedAtomic && merchantHeldAtomic <= 0n)
}
