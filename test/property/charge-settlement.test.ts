import { expect } from 'chai'
import * as fc from 'fast-check'
import type { ChargeFact } from '../../machines/charge.ts'
import type { PairLedger } from '../../shared/db/charges/daemon/charge-state.ts'
import { microToAtto } from '../../shared/domain/money.ts'
import { pairKey } from '../../shared/domain/networks.ts'
import {
  buildCharge,
  buildCredit,
  buildSplitEvent,
  type ChainName,
  MERCHANT,
  units,
} from '../support/factories.ts'
import { isOnTime, isOpen, type Lived, listCredits, live, lives, QUIET } from './charge-life.ts'

describe('a settlement, after any sequence of facts,', () => {
  it('counts exactly the confirmed distributions', () => {
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

  it('is completed exactly when the payments that decide the settlement are distributed and the merchant has no held share', () => {
    check((lived) => {
      const last = lived.at(-1)
      const settling = settlingOf(lived)
      if (last?.charge.status === 'expired') return
      for (const [turn, { ledgers, charge, decision }] of lived.entries()) {
        if (isOpen(charge)) continue
        const needed = ledgers.filter((ledger) => (settling.get(pairKey(ledger)) ?? 0n) > 0n)
        const isDue = needed.every((ledger) => isCovered(ledger, settling.get(pairKey(ledger)) ?? 0n))
        const isSettledNow = decision.events.includes('charge.settled')
        const wasOpen = lived[turn - 1]?.charge.settlementStatus !== 'completed'
        expect(isSettledNow).to.equal(wasOpen && isDue)
      }
    })
  })

  it('starts for an expired charge when a pair owes a payout, and is completed when that payout is distributed', () => {
    check((lived) => {
      let due: ReadonlyMap<string, bigint> | null = null
      for (const [turn, { ledgers, charge, decision }] of lived.entries()) {
        if (charge.status !== 'expired') continue
        const previous = lived[turn - 1]
        // No payout exists for payments before the charge's end, so they count as owed from its end on.
        const wasEnded = previous !== undefined && !isOpen(previous.charge)
        due ??= worthPaying(ledgers, wasEnded ? previous.ledgers : [])
        expect(charge.settlementStatus === null).to.equal(due === null)
        const isDue =
          due !== null &&
          ledgers.every((ledger) => {
            const owed = due?.get(pairKey(ledger)) ?? 0n
            return owed === 0n || isCovered(ledger, owed)
          })
        const wasOpen = lived[turn - 1]?.charge.settlementStatus !== 'completed'
        expect(decision.events.includes('charge.settled')).to.equal(wasOpen && isDue)
      }
    })
  })

  it('stays completed, with the time of the first completion', () => {
    check((lived) => {
      const settled = lived.filter(({ charge }) => charge.settledAt !== null)
      for (const { charge } of settled) {
        expect(charge.settlementStatus).to.equal('completed')
        expect(charge.settledAt).to.deep.equal(settled[0]?.charge.settledAt)
      }
    })
  })

  it('opens payouts when a charge with payments ends, and for later payments, but never before the end', () => {
    check((lived) => {
      for (const [turn, { charge, step, decision }] of lived.entries()) {
        const before = lived[turn - 1]?.charge ?? buildCharge()
        const hasEndedNow = isOpen(before) && !isOpen(charge)
        const isPayable = hasEndedNow
          ? charge.receivedAtto !== null
          : !isOpen(charge) && step.credits.length > 0
        expect(decision.opensPayouts).to.equal(isPayable)
        if (charge.status !== 'expired')
          expect(charge.settlementStatus === null).to.equal(isOpen(charge) || charge.receivedAtto === null)
      }
    })
  })

  it('is completed immediately if a keeper distributed before the credit, on one pair or several', () => {
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

  it('never settles or pays out an escrow before its release, nor after a refund', () => {
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

/** Checks a property in many runs, because few runs have a held share on a distributed pair. */
function check(law: (lived: readonly Lived[]) => void): void {
  fc.assert(
    fc.property(lives, (steps) => law(live(steps))),
    { numRuns: 300 },
  )
}

/** Returns the on-time payments by pair, up to the payment with which the sum over all pairs confirms the charge. */
function settlingOf(lived: readonly Lived[]): ReadonlyMap<string, bigint> {
  const target = microToAtto(buildCharge().amountMicro)
  const settling = new Map<string, bigint>()
  let onTime = 0n
  for (const credit of listCredits(lived.map(({ step }) => step)).filter(isOnTime)) {
    if (onTime >= target) break
    onTime += credit.amountAtto
    settling.set(pairKey(credit), (settling.get(pairKey(credit)) ?? 0n) + credit.valueAtomic)
  }
  return settling
}

/**
 * Returns the credited amounts of the pairs that owe at least a dollar, or `null` if there is no such pair. Amounts
 * credited in the same turn count as owed, even if they are already distributed.
 */
function worthPaying(
  ledgers: readonly PairLedger[],
  before: readonly PairLedger[],
): ReadonlyMap<string, bigint> | null {
  const worth = ledgers.filter((ledger) => {
    const earlier = before.find((old) => pairKey(old) === pairKey(ledger))?.creditedAtomic ?? 0n
    const { creditedAtomic, distributedAtomic, decimals } = ledger
    const counted = distributedAtomic < earlier ? distributedAtomic : earlier
    return creditedAtomic - counted >= 10n ** BigInt(decimals)
  })
  return worth.length === 0 ? null : new Map(worth.map((ledger) => [pairKey(ledger), ledger.creditedAtomic]))
}

function isCovered({ distributedAtomic, merchantHeldAtomic }: PairLedger, owed: bigint): boolean {
  return distributedAtomic >= owed && merchantHeldAtomic <= 0n
}
