import type { DueCredit, DueSplitEvent } from '../../shared/db/charge-mail.ts'
import type { ChargeRow } from '../../shared/db/charge-row.ts'
import type { PairLedger } from '../../shared/db/charge-state.ts'
import type { DueEscrowMovement } from '../../shared/db/escrow-movements.ts'
import type { Address } from '../../shared/domain/address.ts'
import { merchantOf } from '../../shared/domain/charge.ts'
import { type AtomicUnits, atomic } from '../../shared/domain/money.ts'
import { pairKey } from '../../shared/domain/networks.ts'

/** What moves the ledgers of a charge's pairs. */
export type LedgerMail = {
  readonly charge: ChargeRow
  readonly ledgers: readonly PairLedger[]
  /** In the order they were mined. */
  readonly credits: readonly DueCredit[]
  readonly splitEvents: readonly DueSplitEvent[]
  /** In the order they were mined. */
  readonly escrowMovements: readonly DueEscrowMovement[]
}

/** Answers the ledgers of a charge's pairs after its turn; those it does not touch are the very same objects. */
export function moveLedgers(mail: LedgerMail): readonly PairLedger[] {
  const merchant = merchantOf(mail.charge)
  const ledgers = new Map(mail.ledgers.map((ledger) => [pairKey(ledger), ledger]))
  const move = (at: Movement, change: (ledger: PairLedger) => Partial<PairLedger>) => {
    const ledger = ledgers.get(pairKey(at)) ?? emptyLedger(mail.charge, at)
    ledgers.set(pairKey(at), { ...ledger, ...change(ledger) })
  }
  for (const event of mail.splitEvents.filter(({ isDeep }) => isDeep)) {
    move(event, (ledger) => distributed(ledger, { event, merchant }))
  }
  for (const credit of mail.credits) {
    move(credit, ({ creditedAtomic }) => ({ creditedAtomic: plus(creditedAtomic, credit.valueAtomic) }))
  }
  for (const release of mail.escrowMovements.filter(({ action }) => action === 'release')) {
    move(release, ({ releasedAtomic }) => ({
      releasedAtomic: plus(releasedAtomic ?? atomic(0n), release.amountAtomic),
    }))
  }
  return [...ledgers.values()]
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

type Movement = DueCredit | DueSplitEvent | DueEscrowMovement

function emptyLedger(charge: ChargeRow, at: Movement): PairLedger {
  return {
    chargeId: charge.id,
    network: at.network,
    token: at.token,
    chainId: at.chainId,
    tokenAddress: at.tokenAddress,
    creditedAtomic: atomic(0n),
    releasedAtomic: charge.escrowReleaser === null ? null : atomic(0n),
    distributedAtomic: atomic(0n),
    merchantHeldAtomic: atomic(0n),
  }
}

/**
 * Whether the distributions at depth cover every pair whose split was paid, the merchant's share is not held, and no
 * Safe still has, or has given elsewhere, what was credited: a releaser may release a cent and keep the rest.
 */
export function isPaidOut(ledgers: readonly PairLedger[]): boolean {
  const payable = ledgers.filter((ledger) => payableOf(ledger) > 0n)
  return payable.length > 0 && payable.every(isCovered) && ledgers.every(isReleased)
}

function isReleased({ releasedAtomic, creditedAtomic }: PairLedger): boolean {
  return releasedAtomic === null || releasedAtomic >= creditedAtomic
}

/** Whether the distributions at depth cover what reached the split on this pair (decisions 5.2, 5.3). */
export function isCovered(ledger: PairLedger): boolean {
  return ledger.distributedAtomic >= payableOf(ledger) && ledger.merchantHeldAtomic <= 0n
}

/** Whether the split was paid more on this pair than the distributions at depth found there. */
export function owes(ledger: PairLedger): boolean {
  return payableOf(ledger) > ledger.distributedAtomic
}

/** What is credited lies in the split, unless an escrow stands before it. */
function payableOf({ creditedAtomic, releasedAtomic }: PairLedger): AtomicUnits {
  return releasedAtomic ?? creditedAtomic
}

function plus(a: AtomicUnits, b: AtomicUnits): AtomicUnits {
  return atomic(a + b)
}
