import type { ChargeRow } from '../../shared/db/charges/charge-row.ts'
import type { DueCredit, DueSplitEvent } from '../../shared/db/charges/daemon/charge-inbox.ts'
import type { PairLedger } from '../../shared/db/charges/daemon/charge-state.ts'
import type { DueEscrowTransfer } from '../../shared/db/escrow/daemon/escrow-transfers.ts'
import type { Address } from '../../shared/domain/address.ts'
import { findMerchant } from '../../shared/domain/charge.ts'
import { isDust } from '../../shared/domain/minimum-payout.ts'
import {
  type AtomicUnits,
  type AttoDollars,
  atomic,
  atomicToAtto,
  atto,
  attoToAtomicFloor,
} from '../../shared/domain/money.ts'
import { pairKey } from '../../shared/domain/networks.ts'
import { getOwed } from '../../shared/domain/owed.ts'

export type LedgerChanges = {
  readonly charge: ChargeRow
  readonly ledgers: readonly PairLedger[]
  /** The credits of the turn, in the order in which they were mined. */
  readonly credits: readonly DueCredit[]
  readonly splitEvents: readonly DueSplitEvent[]
  /** The escrow transfers of the turn, in the order in which they were mined. */
  readonly escrowMovements: readonly DueEscrowTransfer[]
  /** Returns the minimum payout of a chain. Smaller late amounts are not paid out. */
  readonly minimumPayoutOf: (chainId: number) => AttoDollars
}

/**
 * Returns the ledgers of a charge's pairs after its turn. The ledger of a pair without input is the same object.
 *
 * @param settling - ids of the credits in the settling amount: mined in time, and counted before the charge's status
 * was final and before its escrow ended
 */
export function updateLedgers(mail: LedgerChanges, settling: ReadonlySet<number>): readonly PairLedger[] {
  const merchant = findMerchant(mail.charge)
  const ledgers = new Map(mail.ledgers.map((ledger) => [pairKey(ledger), ledger]))
  const move = (at: Movement, change: (ledger: PairLedger) => Partial<PairLedger>) => {
    const ledger = ledgers.get(pairKey(at)) ?? emptyLedger(mail.charge, at)
    ledgers.set(pairKey(at), { ...ledger, ...change(ledger) })
  }
  for (const event of mail.splitEvents.filter(({ isDeep }) => isDeep)) {
    move(event, (ledger) => distributed(ledger, { event, merchant }))
  }
  for (const credit of mail.credits) {
    move(credit, (ledger) => credited(ledger, { credit, isSettling: settling.has(credit.id) }))
  }
  for (const movement of mail.escrowMovements) {
    if (movement.action === 'release' || movement.isIntoSplit)
      move(movement, (ledger) => leftSafe(ledger, movement))
  }
  return [...ledgers.values()]
}

function credited(
  ledger: PairLedger,
  { credit, isSettling }: { readonly credit: DueCredit; readonly isSettling: boolean },
): Partial<PairLedger> {
  const all = grown(ledger, { sum: ledger.creditedAtomic, dust: ledger.creditedDustAtto }, credit.amountAtto)
  const kept = { sum: ledger.settlementAtomic, dust: ledger.settlementDustAtto }
  const settling = isSettling ? grown(ledger, kept, credit.amountAtto) : kept
  return {
    ...{ creditedAtomic: all.sum, creditedDustAtto: all.dust },
    ...{ settlementAtomic: settling.sum, settlementDustAtto: settling.dust },
  }
}

type Sum = { readonly sum: AtomicUnits; readonly dust: AttoDollars }

/**
 * Adds an amount, which is negative for a struck row, to a sum. The part below the token's smallest unit is kept
 * separately, so that only the total is rounded down: two payments of 0.6 units make one unit, and 0.2 units are kept.
 */
export function grown(
  { decimals }: Pick<PairLedger, 'decimals'>,
  { sum, dust }: Sum,
  amount: AttoDollars,
): Sum {
  const exact = atto(atomicToAtto(sum, decimals) + dust + amount)
  const floor = attoToAtomicFloor(exact, decimals)
  return { sum: floor, dust: atto(exact - atomicToAtto(floor, decimals)) }
}

function distributed(
  ledger: PairLedger,
  { event, merchant }: { event: DueSplitEvent; merchant: Address | null },
): Partial<PairLedger> {
  if (event.kind === 'distributed') {
    return { distributedAtomic: plus(ledger.distributedAtomic, event.amountAtomic) }
  }
  if (event.account !== merchant) return {}
  const sign = event.kind === 'held' ? 1n : -1n
  return { merchantHeldAtomic: plus(ledger.merchantHeldAtomic, atomic(sign * event.amountAtomic)) }
}

/**
 * Applies a transfer out of the Safe. Money that has reached the split is payable, regardless of the kind of
 * transaction that moved it. `withdrawn…` is written only for the previous build, which may run at the same time and
 * reads it.
 */
function leftSafe(ledger: PairLedger, movement: DueEscrowTransfer): Partial<PairLedger> {
  const { action, isIntoSplit, amountAtomic, dustAtto, decimals } = movement
  const amount = atto(atomicToAtto(amountAtomic, decimals) + dustAtto)
  const [nothing, none] = [atomic(0n), atto(0n)]
  const { withdrawnDustAtto, releasedDustAtto } = ledger
  const left = { sum: ledger.withdrawnAtomic ?? nothing, dust: withdrawnDustAtto }
  const released = { sum: ledger.releasedAtomic ?? nothing, dust: releasedDustAtto }
  const after = {
    left: grown(ledger, left, action === 'release' ? amount : none),
    released: grown(ledger, released, isIntoSplit ? amount : none),
  }
  return {
    ...{ withdrawnAtomic: after.left.sum, withdrawnDustAtto: after.left.dust },
    ...{ releasedAtomic: after.released.sum, releasedDustAtto: after.released.dust },
  }
}

type Movement = DueCredit | DueSplitEvent | DueEscrowTransfer

function emptyLedger(charge: ChargeRow, at: Movement): PairLedger {
  return {
    chargeId: charge.id,
    network: at.network,
    token: at.token,
    chainId: at.chainId,
    tokenAddress: at.tokenAddress,
    decimals: at.decimals,
    ...{ creditedDustAtto: atto(0n), settlementDustAtto: atto(0n) },
    ...{ withdrawnDustAtto: atto(0n), releasedDustAtto: atto(0n) },
    creditedAtomic: atomic(0n),
    settlementAtomic: atomic(0n),
    withdrawnAtomic: charge.escrowReleaser === null ? null : atomic(0n),
    releasedAtomic: charge.escrowReleaser === null ? null : atomic(0n),
    distributedAtomic: atomic(0n),
    merchantHeldAtomic: atomic(0n),
  }
}

/**
 * Returns whether, on each pair with a settling amount, the distributions at confirmation depth cover this amount and
 * no share of the merchant is held. Returns `false` if nothing is payable on any of these pairs, for example because
 * every credit was struck.
 *
 * Later credits are paid out when they are worth a transaction, but do not delay the settlement, because anyone can
 * send a unit of an accepted token to a charge, any number of times.
 */
export function isSettled(ledgers: readonly PairLedger[]): boolean {
  const settling = ledgers.filter(({ settlementAtomic }) => settlementAtomic > 0n)
  return settling.some((ledger) => payableOf(ledger) > 0n) && settling.every(isPaidOut)
}

/**
 * Returns the ledgers of an escrow that ends as released. Only the part of the settling amount that has reached the
 * split settles. The remaining amount is still in the Safe, or was a token's own fee, and does not delay the settlement
 * (decisions 4.4). If no part has reached the split, for example because all payments were late or only dust was in
 * time, everything in the split settles.
 */
export function settleReleased(ledgers: readonly PairLedger[]): readonly PairLedger[] {
  const isDecided = ledgers.some((ledger) => smaller(ledger.settlementAtomic, payableOf(ledger)) > 0n)
  return ledgers.map((ledger) => {
    const payable = payableOf(ledger)
    return { ...ledger, settlementAtomic: isDecided ? smaller(ledger.settlementAtomic, payable) : payable }
  })
}

function isPaidOut(ledger: PairLedger): boolean {
  const { distributedAtomic, settlementAtomic, merchantHeldAtomic } = ledger
  return distributedAtomic >= smaller(settlementAtomic, payableOf(ledger)) && merchantHeldAtomic <= 0n
}

/**
 * Returns the ledgers of an expired charge after its turn, or `null` if no pair owes enough to be worth a payout. On
 * each pair that owes enough, the whole payable amount settles.
 *
 * The credits of this turn count as owed even if a keeper distributed their amount before we counted them. Otherwise
 * they would never settle.
 */
export function updateLateLedgers(
  { ledgers: before, minimumPayoutOf }: Pick<LedgerChanges, 'ledgers' | 'minimumPayoutOf'>,
  after: readonly PairLedger[],
): readonly PairLedger[] | null {
  const earlier = new Map(before.map((ledger) => [pairKey(ledger), payableOf(ledger)]))
  const isDue = (ledger: PairLedger) => {
    const counted = smaller(ledger.distributedAtomic, earlier.get(pairKey(ledger)) ?? atomic(0n))
    const owedAtomic = getOwed({ payableAtomic: payableOf(ledger), distributedAtomic: counted })
    const minimumAtto = minimumPayoutOf(ledger.chainId)
    return owedAtomic > 0n && !isDust(owedAtomic, { decimals: ledger.decimals, minimumAtto })
  }
  if (!after.some(isDue)) return null
  return after.map((ledger) => (isDue(ledger) ? { ...ledger, settlementAtomic: payableOf(ledger) } : ledger))
}

/**
 * Returns whether the distributions at confirmation depth cover the amount that reached the split on this pair, and no
 * share of the merchant is held (decisions 5.2, 5.3).
 */
export function isCovered(ledger: PairLedger): boolean {
  return !hasOwed(ledger) && ledger.merchantHeldAtomic <= 0n
}

/** Returns whether the split received more on this pair than the distributions at confirmation depth paid out. */
export function hasOwed(ledger: PairLedger): boolean {
  const { distributedAtomic } = ledger
  return getOwed({ payableAtomic: payableOf(ledger), distributedAtomic }) > 0n
}

/**
 * Returns the total amount to pay out, including amounts already distributed: all credits or, with an escrow, only the
 * amount that has reached the split.
 */
function payableOf({ creditedAtomic, releasedAtomic }: PairLedger): AtomicUnits {
  return releasedAtomic ?? creditedAtomic
}

function smaller(a: AtomicUnits, b: AtomicUnits): AtomicUnits {
  return a < b ? a : b
}

function plus(a: AtomicUnits, b: AtomicUnits): AtomicUnits {
  return atomic(a + b)
}
