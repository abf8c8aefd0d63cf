import { type BookedChargeRow, readBookedCharges } from '../../shared/db/accounting/daemon/booked-charges.ts'
import { listLedgerFacts } from '../../shared/db/accounting/daemon/ledger-facts.ts'
import type { Db } from '../../shared/db/connect.ts'
import { type Books, post } from '../../shared/domain/accounting/books.ts'
import { buildEntries } from '../../shared/domain/accounting/build-entries.ts'
import type { AccountingEntry } from '../../shared/domain/accounting/entry.ts'
import type { LedgerFact } from '../../shared/domain/accounting/ledger-fact.ts'
import { toBookedCharge } from './booked-charge.ts'

/**
 * Returns all entries of charges whose locks the caller holds, from the rows that counted, without reading an entry:
 * those that the daemon wrote, turn by turn.
 */
export async function deriveEntries(
  db: Db,
  chargeIds: readonly string[],
): Promise<readonly AccountingEntry[]> {
  const facts = (await listLedgerFacts(db, { chargeIds })).flatMap(listHistory)
  const charges = await readBookedCharges(db, chargeIds)
  return charges.flatMap((charge) =>
    replay(
      charge,
      facts.filter(({ chargeId }) => chargeId === charge.id),
    ),
  )
}

/** A struck row counted once. */
function listHistory(fact: LedgerFact): readonly LedgerFact[] {
  return fact.struckAt === null ? [fact] : [{ ...fact, struckAt: null }, fact]
}

type History = { readonly books: Books; readonly entries: readonly AccountingEntry[] }

/** Rows counted in one turn have its time, as has what the turn decided about the charge. */
function replay(charge: BookedChargeRow, facts: readonly LedgerFact[]): readonly AccountingEntry[] {
  const { confirmedAt, settledAt, escrowReleasedAt, escrowRefundedAt } = charge
  const decided = [confirmedAt, settledAt, escrowReleasedAt, escrowRefundedAt].flatMap((at) => at ?? [])
  const times = new Set([...facts.map(timeOf), ...decided].map((at) => at.getTime()))
  const turns = [...times].sort((a, b) => a - b).map((at) => new Date(at))
  const start: History = { books: new Map(), entries: [] }
  return turns.reduce((history, now) => {
    const counted = facts.filter((fact) => timeOf(fact).getTime() === now.getTime())
    const turn = { books: history.books, facts: counted, now }
    const entries = buildEntries(toBookedCharge(charge, now), turn)
    return { books: entries.reduce(post, history.books), entries: [...history.entries, ...entries] }
  }, start).entries
}

function timeOf({ countedAt, struckAt }: LedgerFact): Date {
  return struckAt ?? countedAt
}
