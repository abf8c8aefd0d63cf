import type { ChargeRow } from '../../shared/db/charges/charge-row.ts'
import type { PairLedger } from '../../shared/db/charges/daemon/charge-state.ts'
import type { StruckRow } from '../../shared/db/charges/daemon/strikes.ts'
import { findMerchant } from '../../shared/domain/charge.ts'
import { type AtomicUnits, type AttoDollars, atomic, atomicToAtto, atto } from '../../shared/domain/money.ts'
import { grown } from './update-ledgers.ts'

/**
 * Returns the ledger of a pair without a struck row: reverses the row's effect in `updateLedgers`. Pure.
 *
 * The amount of a struck distribution is owed again. The amount of a struck credit is no longer owed, and the settling
 * amount is at most the sum of the remaining credits.
 *
 * @param remainingAtto - sum of the pair's remaining credits that may be part of the settling amount
 */
export function strikeLedger(
  ledger: PairLedger,
  struck: StruckRow,
  { charge, remainingAtto }: { readonly charge: ChargeRow; readonly remainingAtto: AttoDollars },
): PairLedger {
  switch (struck.event) {
    case 'credited':
      return withoutCredit(ledger, struck, { charge, remainingAtto })
    case 'distributed':
      return { ...ledger, distributedAtomic: less(ledger.distributedAtomic, struck.amountAtomic) }
    case 'held':
    case 'released':
      return struck.party === findMerchant(charge) ? withoutShare(ledger, struck) : ledger
    case 'release':
    case 'refund':
      return withoutEscrowTransfer(ledger, struck, charge)
  }
}

/**
 * Limits the settling amount to the sum of the remaining credits. The struck credit is not subtracted, because it might
 * not be part of the settling amount: credits after the credit that completed the amount do not settle, even if they
 * were counted in the same turn. After an escrow has ended, the strike of a credit does not change the settling amount.
 */
function withoutCredit(
  ledger: PairLedger,
  struck: StruckRow,
  { charge, remainingAtto }: { readonly charge: ChargeRow; readonly remainingAtto: AttoDollars },
): PairLedger {
  const credited = reduced(
    ledger,
    { sum: ledger.creditedAtomic, dust: ledger.creditedDustAtto },
    struck.amountAtto,
  )
  const kept = { sum: ledger.settlementAtomic, dust: ledger.settlementDustAtto }
  const hasEnded = charge.escrowReleasedAt !== null || charge.escrowRefundedAt !== null
  const excess = atto(exactOf(ledger, kept) - remainingAtto)
  const settling = hasEnded || excess <= 0n ? kept : reduced(ledger, kept, excess)
  return {
    ...ledger,
    ...{ creditedAtomic: credited.sum, creditedDustAtto: credited.dust },
    ...{ settlementAtomic: settling.sum, settlementDustAtto: settling.dust },
  }
}

function withoutShare(ledger: PairLedger, { event, amountAtomic }: StruckRow): PairLedger {
  const change = event === 'held' ? -1n * amountAtomic : amountAtomic
  return { ...ledger, merchantHeldAtomic: atomic(ledger.merchantHeldAtomic + change) }
}

function withoutEscrowTransfer(ledger: PairLedger, struck: StruckRow, charge: ChargeRow): PairLedger {
  const left = { sum: ledger.withdrawnAtomic ?? atomic(0n), dust: ledger.withdrawnDustAtto }
  const released = { sum: ledger.releasedAtomic ?? atomic(0n), dust: ledger.releasedDustAtto }
  const isIntoSplit = struck.party === charge.splitAddress
  const after = {
    left: reduced(ledger, left, struck.event === 'release' ? struck.amountAtto : atto(0n)),
    released: reduced(ledger, released, isIntoSplit ? struck.amountAtto : atto(0n)),
  }
  return {
    ...ledger,
    ...{ withdrawnAtomic: after.left.sum, withdrawnDustAtto: after.left.dust },
    ...{ releasedAtomic: after.released.sum, releasedDustAtto: after.released.dust },
  }
}

type Sum = { readonly sum: AtomicUnits; readonly dust: AttoDollars }

/**
 * Subtracts an amount from a sum. Returns zero if the amount exceeds the sum.
 */
function reduced(ledger: PairLedger, sum: Sum, amount: AttoDollars): Sum {
  const all = exactOf(ledger, sum)
  return grown(ledger, sum, atto(-(amount < all ? amount : all)))
}

function exactOf({ decimals }: PairLedger, { sum, dust }: Sum): bigint {
  return atomicToAtto(sum, decimals) + dust
}

function less(sum: AtomicUnits, amount: AtomicUnits): AtomicUnits {
  return atomic(sum > amount ? sum - amount : 0n)
}
