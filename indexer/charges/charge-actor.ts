import type { ChargeFact } from '../../machines/charge.ts'
import type { ChargeRow } from '../../shared/db/charges/charge-row.ts'
import { listChargesWithMail, lockCharges } from '../../shared/db/charges/daemon/charge-mail.ts'
import { parkCharge } from '../../shared/db/charges/daemon/parked-charges.ts'
import { insertSandboxCredit } from '../../shared/db/charges/daemon/sandbox-credits.ts'
import { type Db, errorCode, isAway, isOfValues, isRetryable, type Sql } from '../../shared/db/connect.ts'
import type { Refusal } from '../../shared/db/requests/charge-requests.ts'
import { inTransaction, limitLockWaits } from '../../shared/db/transaction.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { SandboxTrigger } from '../../shared/domain/sandbox-trigger.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { BUILD } from './build.ts'
import type { ChargeMetrics } from './charge-metrics.ts'
import { readMail, type TurnTerms, turnCharges } from './charge-turn.ts'
import { confirmationDelayOf } from './confirmation-delay.ts'
import type { ChargeDecision } from './decide-charge.ts'
import { decideTrigger } from './decide-trigger.ts'
import type { FailedTurns } from './failed-turns.ts'
import { OvertakenError, writeTurns } from './write-turns.ts'

/** What the actors of charges work with. */
export type ChargeActorDeps = TurnTerms & {
  readonly sql: Sql
  /** Called after a commit that appended events. */
  readonly onEvents: () => void
  readonly failedTurns: FailedTurns
  readonly metrics?: ChargeMetrics
}

/** Charges of one transaction. */
const BATCH = 100

/** Transactions side by side, of different charges: while PostgreSQL writes one, the other is decided. */
const SIDE_BY_SIDE = 2

/**
 * Longer than any turn of another daemon's should last. Whoever keeps a charge locked, or a row of its mail, holds up those
 * of its transaction for no longer; above PostgreSQL's deadlock_timeout of 1 s, so that a deadlock is known as one.
 */
const LOCK_WAIT_MS = 2_000

/**
 * Parked at most before another charge has had its turn. A bug of ours, or a bad row that all turns read, fails them all,
 * and the same build would never take them up again.
 */
const MOST_PARKED_IN_A_ROW = 3

/**
 * Gives every charge with something to do its turn, at most `BATCH` of them in each of `SIDE_BY_SIDE` transactions.
 *
 * A batch that fails is done again one by one; the charge that fails alone is parked with an alert, so that it does
 * not hold up the others. What is not a charge's own fault, as trouble of the database is not, parks nothing but is
 * thrown, when the batch beside it has ended: at once if the database is known to be away, else after the others had
 * their turns. Charges that were in such trouble are passed over while they rest: listed first each time, two of them
 * would hold up all those behind them.
 */
export async function takeChargeTurns(deps: ChargeActorDeps): Promise<'more' | 'idle'> {
  const query = { limit: BATCH * SIDE_BY_SIDE, rule: deps.expiry }
  const resting = deps.failedTurns.listResting(deps.now())
  const ids = await listChargesWithMail(deps.sql, { ...query, except: resting })
  const batches = [ids.slice(0, BATCH), ids.slice(BATCH)].filter(({ length }) => length > 0)
  const ended = await Promise.allSettled(batches.map((batch) => takeBatch(deps, batch)))
  const [failure, ...others] = ended.flatMap((one) => (one.status === 'rejected' ? [one] : []))
  for (const { reason } of others)
    deps.log.error({ msg: 'The batch beside it failed, too', error: reason as unknown })
  if (failure !== undefined) throw failure.reason
  return ended.some((one) => one.status === 'fulfilled' && one.value > 0) ? 'more' : 'idle'
}

/**
 * Answers how many had something to do: none if another daemon was faster, and what is left of the list is its to
 * finish. Those whose last turn failed have theirs alone, or they would fail the others again.
 */
async function takeBatch(deps: ChargeActorDeps, ids: readonly string[]): Promise<number> {
  const together = ids.filter((id) => !deps.failedTurns.has(id))
  const alone = ids.filter((id) => deps.failedTurns.has(id))
  const taken = together.length > 0 ? await takeTogether(deps, together) : 0
  return taken + (await takeOneByOne(deps, alone))
}

async function takeTogether(deps: ChargeActorDeps, ids: readonly string[]): Promise<number> {
  try {
    return await takeTurns(deps, ids)
  } catch (error) {
    // What passes by itself is waited for; if it is one of these that causes it, the others are not to wait twice.
    if (isRetryable(error)) {
      if (!isAway(error)) deps.failedTurns.note(ids, deps.now())
      throw error
    }
    deps.log.warn({ msg: 'A batch of charges failed and is done one by one', charges: ids.length, error })
    return await takeOneByOne(deps, ids)
  }
}

/**
 * One charge in trouble, such as one that somebody keeps locked, holds up no other; a second is the database's. Those that
 * look like their charges' own fault are all tried: one success among them says that it is.
 */
async function takeOneByOne(deps: ChargeActorDeps, ids: readonly string[]): Promise<number> {
  const troubles: unknown[] = []
  let taken = 0
  for (const id of ids) {
    try {
      taken += await takeAlone(deps, id)
    } catch (error) {
      if (isAway(error)) throw error
      deps.log.warn({ msg: 'A charge could not have its turn', charge_id: id, error })
      deps.failedTurns.note([id], deps.now())
      troubles.push(error)
    }
    if (troubles.filter((trouble) => !isOfCharge(trouble)).length > 1) break
  }
  if (troubles.length > 0) throw troubles[0]
  return taken
}

/** Tells a charge, in the caller's transaction, what its own mail does not: that a payout has failed for good. */
export async function tellCharge(
  terms: TurnTerms,
  db: Db,
  { chargeId, fact }: { readonly chargeId: string; readonly fact: ChargeFact },
): Promise<void> {
  await turnCharges(terms, db, { chargeIds: await lockCharges(db, [chargeId]), facts: [fact] })
}

/**
 * Does to a charge, in the caller's transaction, what a sandbox trigger stands for, as a payment or a fact of its own
 * would; first the charge sees to the mail it has. Locks the charge.
 *
 * @returns `done`, or why it cannot be done
 */
export async function triggerCharge(
  terms: TurnTerms,
  db: Db,
  { requestId, chargeId, apiRequestId, trigger }: Trigger,
): Promise<{ readonly outcome: 'done' } | Refusal> {
  const chargeIds = await lockCharges(db, [chargeId])
  await turnCharges(terms, db, { chargeIds, facts: [] })
  const [mail] = await readMail(terms, db, { chargeIds, facts: [] })
  if (mail === undefined) return PARKED
  const now = terms.now()
  const triggered = decideTrigger(mail, trigger, now)
  if (triggered.outcome === 'refused') return triggered
  const { charge } = mail
  const { sandboxCredit } = triggered.decision
  const sender = trigger.from ?? charge.escrowReleaser
  if (sandboxCredit) await insertSandboxCredit(db, { ...sandboxCredit, requestId, chargeId, sender }, now)
  await writeTurns({ ...terms, apiRequestId }, db, {
    turns: [{ charge, mail: triggered.mail, decision: triggered.decision }],
    now,
  })
  return { outcome: 'done' }
}

/** What a request of the sandbox's wants. */
type Trigger = {
  readonly requestId: string
  readonly chargeId: string
  /** Written to the events it leads to. */
  readonly apiRequestId: string | null
  readonly trigger: SandboxTrigger
}

const PARKED: Refusal = {
  outcome: 'refused',
  code: 'service_unavailable',
  message: 'the charge waits for an operator; nothing can happen to it before',
}

/**
 * Gives one charge its turn now, if it has something to do; parks it with an alert if that fails for a reason of its
 * own, and throws that when too many were parked in a row.
 */
export async function takeChargeTurn(deps: ChargeActorDeps, id: string): Promise<void> {
  await takeAlone(deps, id)
}

/** Answers whether it had something to do, as a number. */
async function takeAlone(deps: ChargeActorDeps, id: string): Promise<number> {
  try {
    return await takeTurns(deps, [id])
  } catch (error) {
    if (!isOfCharge(error)) throw error
    if (deps.failedTurns.countFault() > MOST_PARKED_IN_A_ROW) {
      deps.log.error({ msg: 'Parked no further charge: those before it failed, too', charge_id: id, error })
      throw error
    }
    deps.log.error({ msg: 'Parked a charge whose turn fails', charge_id: id, error })
    await parkCharge(deps.sql, { id, build: BUILD })
    deps.failedTurns.forget([id])
    return 1
  }
}

/**
 * Tells errors whose reason may be a charge itself: our own code threw, which has no code of the driver or the system
 * unless it is one of Node's TypeErrors, or the database refused what was decided. That the chain feed was faster is not.
 *
 * All others are not the charge's, also those nobody thought of: what is tried again in vain holds up charges loudly,
 * but a charge that is wrongly parked stays so until somebody asks for his money.
 */
export function isOfCharge(error: unknown): boolean {
  if (error instanceof OvertakenError) return false
  const isOurs = errorCode(error) === null || error instanceof TypeError || error instanceof AppError
  return isOurs || isOfValues(error)
}

/** Answers how many charges had something to do. */
async function takeTurns(deps: ChargeActorDeps, ids: readonly string[]): Promise<number> {
  const turns = await inTransaction(deps.sql, async (db) => {
    await limitLockWaits(db, LOCK_WAIT_MS)
    return turnCharges(deps, db, { chargeIds: await lockCharges(db, ids), facts: [] })
  })
  deps.failedTurns.forget(ids)
  if (turns.length > 0) deps.failedTurns.endFaults()
  deps.onEvents()
  for (const turn of turns) {
    logTurn(deps.log, turn.charge, turn.decision)
    const delay = confirmationDelayOf(turn)
    if (delay !== null) deps.metrics?.noteConfirmed(delay)
  }
  return turns.length
}

function logTurn(log: Logger, charge: ChargeRow, { state, credits, events }: ChargeDecision): void {
  log.info({
    msg: 'Moved a charge',
    charge_id: charge.id,
    api_request_id: charge.apiRequestId,
    status: state.status,
    settlement_status: state.settlementStatus,
    received_atto: state.receivedAtto,
    credited_transfers: credits.length,
    events,
  })
}
