import { findSwapSupport } from '../../shared/db/chain-facts/swap-chains.ts'
import {
  markSplitEvents,
  updateCharges,
  upsertPairLedgers,
} from '../../shared/db/charges/daemon/charge-state.ts'
import { markCredited } from '../../shared/db/charges/daemon/mark-credited.ts'
import type { Db } from '../../shared/db/connect.ts'
import type { CountedRows } from '../../shared/db/counted-rows.ts'
import { markEscrowTransfersApplied } from '../../shared/db/escrow/daemon/escrow-transfers.ts'
import { appendEvents } from '../../shared/db/events/daemon/events.ts'
import { applyHeldShareChanges } from '../../shared/db/payouts/daemon/held-shares.ts'
import { lockPayoutsOfCharges } from '../../shared/db/payouts/payouts.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { pairKey } from '../../shared/domain/networks.ts'
import type { SwapSupport } from '../../shared/domain/swap/swap-alternatives.ts'
import type { SwapProviderName } from '../../shared/domain/swap/swap-providers.ts'
import { applyPayoutUpdate } from '../payouts/apply-payout-update.ts'
import { openPayouts } from '../payouts/open-payouts.ts'
import { derivePayoutUpdate } from '../payouts/payout-update.ts'
import { type ChargeTurn, type EventContext, listHeldShareChanges, listTurnEvents } from './turn-events.ts'
import { writeEntries } from './write-entries.ts'

/** Values in payouts and events that do not depend on the decision. */
export type WriteContext = Pick<EventContext, 'checkoutBaseUrl' | 'apiRequestId'> & {
  readonly graceSeconds: number
  /** Provider of the swap alternatives that events list; `null` without swap-to-pay. */
  readonly swapProvider: SwapProviderName | null
}

/**
 * Thrown if the chain feed changed a row between a turn's read and its write. The turn is rolled back and repeated.
 */
export class StaleReadError extends AppError {
  constructor(details: { readonly due: number; readonly marked: number }) {
    super('internal_error', 'the chain feed changed a row during the turn', { details, retryable: true })
  }
}

/**
 * Writes the decisions of turns: marks the counted rows, and updates ledgers, charges, books, events and payouts. Most
 * statements cover all turns at once.
 *
 * @throws {StaleReadError} if a row that a turn counted has changed since it was read
 */
export async function writeTurns(
  terms: WriteContext,
  db: Db,
  { turns, now, simulated = [] }: TurnsToWrite,
): Promise<void> {
  // Mark the tables in the order in which the chain feed updates them, because any other order could deadlock.
  const credits = turns.flatMap(({ decision }) => decision.credits)
  requireAll(credits, await markCredited(db, credits, now))
  const splitEvents = turns.flatMap(({ decision }) => decision.splitEvents)
  requireAll(splitEvents, await markSplitEvents(db, splitEvents, now))
  const movements = turns.flatMap(({ decision }) => decision.escrowMovements)
  requireAll(movements, await markEscrowTransfersApplied(db, movements, now))
  await applyHeldShareChanges(db, turns.flatMap(listHeldShareChanges), now)
  await upsertPairLedgers(
    db,
    turns.flatMap(({ decision }) => decision.ledgers),
  )
  await updateCharges(
    db,
    turns.map(({ decision }) => decision.state),
  )
  const rows = listCountedRows(turns)
  const counted = { ...rows, transfers: [...rows.transfers, ...simulated] }
  await writeEntries(db, { chargeIds: turns.map(({ charge }) => charge.id), counted, now })
  const offering = await readSwapSupport(terms, db)
  await appendEvents(
    db,
    turns.flatMap((taken) => listTurnEvents({ ...terms, offering }, { taken, now })),
  )
  const opening = turns.filter(({ decision }) => decision.opensPayouts).map(({ charge }) => charge.id)
  await openPayouts(db, { chargeIds: opening, graceSeconds: terms.graceSeconds, nowDate: now })
  for (const taken of turns) await tellPayouts(terms, db, { taken, now })
}

type TurnsToWrite = {
  readonly turns: readonly ChargeTurn[]
  /** Time of all these turns, later than any earlier turn of the same charges (`find-turn-times.ts`). */
  readonly now: Date
  /** Ids of the credits that the sandbox inserted in these turns. */
  readonly simulated?: readonly number[]
}

/** Lists the chain rows that these turns counted. */
export function listCountedRows(turns: readonly ChargeTurn[]): CountedRows {
  const splitEvents = turns.flatMap(({ decision }) => decision.splitEvents)
  return {
    transfers: idsOf(turns.flatMap(({ decision }) => decision.credits)),
    splitEvents: idsOf(splitEvents.filter(({ isApplied }) => isApplied)),
    escrowTransfers: idsOf(turns.flatMap(({ decision }) => decision.escrowMovements)),
  }
}

function idsOf(rows: readonly { readonly id: number }[]): readonly number[] {
  return rows.map(({ id }) => id)
}

function requireAll(due: readonly unknown[], marked: number): void {
  if (marked !== due.length) throw new StaleReadError({ due: due.length, marked })
}

async function tellPayouts(
  { graceSeconds }: { readonly graceSeconds: number },
  db: Db,
  { taken, now }: { readonly taken: ChargeTurn; readonly now: Date },
): Promise<void> {
  const { charge, mail, decision } = taken
  if (mail.splitEvents.length === 0) return
  const ledgers = new Map([...mail.ledgers, ...decision.ledgers].map((ledger) => [pairKey(ledger), ledger]))
  for (const payout of await lockPayoutsOfCharges(db, [charge.id])) {
    const events = mail.splitEvents.filter(
      (event) => event.kind === 'distributed' && pairKey(event) === pairKey(payout),
    )
    const news = derivePayoutUpdate(events, { ledger: ledgers.get(pairKey(payout)), graceSeconds })
    if (news) await applyPayoutUpdate(db, payout, { news, now })
  }
}

/** Returns the networks on which events can offer swaps; none if no provider is configured. */
export async function readSwapSupport(
  { swapProvider }: Pick<WriteContext, 'swapProvider'>,
  db: Db,
): Promise<SwapSupport> {
  if (swapProvider === null) return { networks: new Set(), unavailablePayments: new Set() }
  return findSwapSupport(db, swapProvider)
}
