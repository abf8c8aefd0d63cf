import { type BookedChargeRow, readBookedCharges } from '../../shared/db/accounting/daemon/booked-charges.ts'
import { listLedgerFacts } from '../../shared/db/accounting/daemon/ledger-facts.ts'
import type { Db } from '../../shared/db/connect.ts'
import { buildTurns } from '../../shared/domain/accounting/build-turns.ts'
import type { AccountingEntry } from '../../shared/domain/accounting/entry.ts'
import type { LedgerFact } from '../../shared/domain/accounting/ledger-fact.ts'
import { toBookedCharge } from './booked-charge.ts'
import { groupByCharge } from './group-by-charge.ts'

/**
 * Derives all entries of charges whose locks the caller holds, from their counted rows, without reading stored entries.
 * The result equals the entries that the daemon wrote turn by turn.
 */
export async function deriveEntries(
  db: Db,
  chargeIds: readonly string[],
): Promise<readonly AccountingEntry[]> {
  const facts = groupByCharge(await listLedgerFacts(db, { chargeIds, isComplete: true }))
  const charges = await readBookedCharges(db, chargeIds)
  return charges.flatMap((charge) => replayTurns(charge, facts.get(charge.id) ?? []))
}

/**
 * Returns the entries of a charge.
 *
 * @param facts - all facts of the charge, in the order in which they were mined
 */
export function replayTurns(
  charge: BookedChargeRow,
  facts: readonly LedgerFact[],
): readonly AccountingEntry[] {
  return buildTurns(
    listTurns(charge, facts).map((turn) => ({ ...turn, charge: toBookedCharge(charge, turn.now) })),
  )
}

type Turn = { readonly now: Date; readonly facts: LedgerFact[] }

/**
 * Groups the facts by turn. All rows that one turn counts or strikes, and all times that it sets on the charge, have
 * the turn's time. No two turns of a charge have the same time (`find-turn-times.ts`).
 */
function listTurns(charge: BookedChargeRow, facts: readonly LedgerFact[]): readonly Turn[] {
  const turns = new Map<number, Turn>()
  const turnAt = (now: Date): Turn => {
    const turn = turns.get(now.getTime()) ?? { now, facts: [] }
    turns.set(now.getTime(), turn)
    return turn
  }
  const { confirmedAt, settledAt, escrowReleasedAt, escrowRefundedAt } = charge
  for (const at of [confirmedAt, settledAt, escrowReleasedAt, escrowRefundedAt]) if (at !== null) turnAt(at)
  for (const fact of facts) {
    // A struck row had counted before its strike.
    turnAt(fact.countedAt).facts.push({ ...fact, struckAt: null })
    if (fact.struckAt !== null) turnAt(fact.struckAt).facts.push(fact)
  }
  return [...turns.values()].sort((a, b) => a.now.getTime() - b.now.getTime())
}
