import type { ChargeFact } from '../../machines/charge.ts'
import type { ChargeRow } from '../../shared/db/charges/charge-row.ts'
import { type ExpiryRule, listPassedDeadlines } from '../../shared/db/charges/daemon/charge-expiry.ts'
import {
  CREDITS_PER_TURN,
  listDueCredits,
  listDueSplitEvents,
  readLockedCharges,
} from '../../shared/db/charges/daemon/charge-inbox.ts'
import { listPairLedgers } from '../../shared/db/charges/daemon/charge-state.ts'
import { quarantineCharge } from '../../shared/db/charges/daemon/quarantined-charges.ts'
import type { Db } from '../../shared/db/connect.ts'
import { listDueEscrowTransfers } from '../../shared/db/escrow/daemon/escrow-transfers.ts'
import { insertProofTasks } from '../../shared/db/evidence/daemon/receipt-proofs.ts'
import { groupBy } from '../../shared/domain/group-by.ts'
import type { AttoDollars } from '../../shared/domain/money.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { findInvalidTerms } from '../relayer/find-invalid-terms.ts'
import { BUILD_VERSION } from './build-version.ts'
import { type ChargeInbox, decideCharge } from './decide-charge.ts'
import { findEndedEscrows } from './end-escrows.ts'
import { findTurnTimes } from './find-turn-times.ts'
import { groupByCharge } from './group-by-charge.ts'
import type { ChargeTurn } from './turn-events.ts'
import { listCountedRows, type WriteContext, writeTurns } from './write-turns.ts'

export type TurnContext = WriteContext & {
  readonly now: Clock
  readonly log: Logger
  readonly expiry: ExpiryRule
  /**
   * Returns the minimum amount of late payments that is paid out on a chain. A smaller amount waits for more of them.
   */
  readonly minimumPayoutOf: (chainId: number) => AttoDollars
}

/** The charges to process, and facts about each of them that no row of their inboxes shows. */
type TurnInput = { readonly chargeIds: readonly string[]; readonly facts: readonly ChargeFact[] }

/**
 * Processes charges whose locks the caller holds: reads their inboxes, decides, and writes all results. Then runs a
 * second turn of each charge whose escrow has ended according to the updated rows.
 *
 * @returns the turns of the charges that had work to do
 */
export async function runTurns(terms: TurnContext, db: Db, input: TurnInput): Promise<readonly ChargeTurn[]> {
  const { charges, turns } = await takeTurns(terms, db, input)
  const all = [...turns]
  for (const { chargeId, fact } of await findEndedEscrows(db, charges)) {
    const ended = await takeTurns(terms, db, { chargeIds: [chargeId], facts: [fact] })
    all.push(...ended.turns)
  }
  // Insert the proof tasks last, in one sorted statement, because a concurrent batch may insert the same tasks, and a
  // different lock order could deadlock.
  await insertProofTasks(db, listCountedRows(all))
  return all
}

async function takeTurns(terms: TurnContext, db: Db, input: TurnInput) {
  const now = terms.now()
  const mails = await readInbox(terms, db, input)
  const due = mails.filter(hasMail)
  const times = await findTurnTimes(
    db,
    due.map(({ charge }) => charge.id),
    now,
  )
  const timeOf = ({ charge }: ChargeInbox) => (times.get(charge.id) ?? now).getTime()
  const all: ChargeTurn[] = []
  for (const [time, together] of groupBy(due, timeOf)) {
    const at = new Date(time)
    const turns = together.map((mail) => ({ charge: mail.charge, mail, decision: decideCharge(mail, at) }))
    await writeTurns(terms, db, { turns, now: at })
    all.push(...turns)
  }
  return { charges: mails.map(({ charge }) => charge), turns: all }
}

/**
 * Reads the inboxes of charges whose locks the caller holds. Quarantines and omits charges that this service cannot
 * have created.
 */
export async function readInbox(
  { expiry, log, minimumPayoutOf }: Pick<TurnContext, 'expiry' | 'log' | 'minimumPayoutOf'>,
  db: Db,
  { chargeIds, facts }: { readonly chargeIds: readonly string[]; readonly facts: readonly ChargeFact[] },
): Promise<readonly ChargeInbox[]> {
  // Read deadlines before credits. An uncredited transfer that was mined in time and recorded before the deadlines
  // are read blocks the expiry. One that becomes due between the two reads is in the inbox, before the deadline.
  const passed = new Set(await listPassedDeadlines(db, { chargeIds, rule: expiry }))
  const due = await listDueCredits(db, chargeIds)
  const credits = groupByCharge(due)
  const splitEvents = groupByCharge(await listDueSplitEvents(db, chargeIds))
  // Escrow transfers must be processed after the payments into the Safe. If the list of credits was truncated, such a
  // payment might be missing from it, so escrow transfers then wait for a later turn.
  const isCut = due.length >= CREDITS_PER_TURN
  const escrowMovements = groupByCharge(isCut ? [] : await listDueEscrowTransfers(db, chargeIds))
  const ledgers = groupByCharge(await listPairLedgers(db, chargeIds))
  const charges = await believeCharges({ log }, db, await readLockedCharges(db, chargeIds))
  return charges.map((charge) => ({
    charge,
    credits: credits.get(charge.id) ?? [],
    splitEvents: splitEvents.get(charge.id) ?? [],
    escrowMovements: escrowMovements.get(charge.id) ?? [],
    ledgers: ledgers.get(charge.id) ?? [],
    sandboxCredit: null,
    isDeadlinePassed: passed.has(charge.id),
    facts,
    minimumPayoutOf,
  }))
}

function hasMail({ credits, splitEvents, escrowMovements, isDeadlinePassed, facts }: ChargeInbox): boolean {
  return credits.length + splitEvents.length + escrowMovements.length + facts.length > 0 || isDeadlinePassed
}

async function believeCharges(
  { log }: Pick<TurnContext, 'log'>,
  db: Db,
  charges: readonly ChargeRow[],
): Promise<readonly ChargeRow[]> {
  const forged = await findInvalidTerms(db, charges)
  for (const [id, problem] of forged) {
    log.error({ msg: 'Quarantined a charge: its terms are not valid', charge_id: id, problem })
    await quarantineCharge(db, { id, build: BUILD_VERSION })
  }
  return charges.filter(({ id }) => !forged.has(id))
}
