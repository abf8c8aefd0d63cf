import type { ChargeFact } from '../../machines/charge.ts'
import type { ChargeRow } from '../../shared/db/charges/charge-row.ts'
import type { Db } from '../../shared/db/connect.ts'
import {
  deleteEndChecks,
  listWaitingEnds,
  openEndChecks,
} from '../../shared/db/escrow/daemon/escrow-end-checks.ts'
import { listEscrowRecords } from '../../shared/db/escrow/daemon/escrow-records.ts'
import { type EscrowEnd, findEscrowEnd } from '../../shared/domain/escrow-end.ts'

/** The end of a charge's escrow, as a fact for its actor. */
export type EndedEscrow = { readonly chargeId: string; readonly fact: ChargeFact }

/**
 * Finds the charges whose escrow ends now. The caller holds the locks of the charges.
 *
 * If an order through our API moved the money, the escrow ends immediately. If the releaser moved the money on chain
 * without an order, the escrow ends once `check-escrow-ends.ts` has compared the Safe's balances on every accepted
 * chain with our rows. A balance that exceeds our rows means that a transfer is missing from our rows, and the end
 * waits (decisions 4.4). If no quorum returns a balance, the end waits for about a minute at most.
 */
export async function findEndedEscrows(
  db: Db,
  charges: readonly ChargeRow[],
): Promise<readonly EndedEscrow[]> {
  const held = charges.filter(isHeld).map(({ id }) => id)
  if (held.length === 0) return []
  const records = await listEscrowRecords(db, held)
  const ends = records.flatMap((record) => {
    const end = findEscrowEnd(record)
    return end === null ? [] : [{ chargeId: record.chargeId, end }]
  })
  const waiting = records.length === 0 ? new Set() : await findWaiting(db, { held, ends })
  return ends
    .filter(({ chargeId }) => !waiting.has(chargeId))
    .map(({ chargeId, end }) => ({ chargeId, fact: factOf(end) }))
}

type End = { readonly chargeId: string; readonly end: EscrowEnd }

/**
 * Inserts missing checks of escrow ends, and deletes checks that are no longer needed. Returns the charges whose escrow
 * end must wait.
 */
async function findWaiting(
  db: Db,
  { held, ends }: { readonly held: readonly string[]; readonly ends: readonly End[] },
): Promise<ReadonlySet<string>> {
  const checked = ends.filter(({ end }) => !end.byEndpoint).map(({ chargeId }) => chargeId)
  if (checked.length > 0) await openEndChecks(db, checked)
  const waiting = new Set(checked.length > 0 ? await listWaitingEnds(db, checked) : [])
  const over = held.filter((chargeId) => !waiting.has(chargeId))
  if (over.length > 0) await deleteEndChecks(db, over)
  return waiting
}

function isHeld({ escrowReleaser, escrowReleasedAt, escrowRefundedAt }: ChargeRow): boolean {
  return escrowReleaser !== null && escrowReleasedAt === null && escrowRefundedAt === null
}

function factOf({ action, byEndpoint }: EscrowEnd): ChargeFact {
  return { type: action === 'release' ? 'escrow.released' : 'escrow.refunded', byEndpoint }
}
