import type { ChargeFact } from '../../machines/charge.ts'
import type { ChargeRow } from '../../shared/db/charges/charge-row.ts'
import { listChargesWithWork, lockCharges } from '../../shared/db/charges/daemon/charge-inbox.ts'
import { quarantineCharge } from '../../shared/db/charges/daemon/quarantined-charges.ts'
import { insertSandboxCredit } from '../../shared/db/charges/daemon/sandbox-credits.ts'
import {
  type Db,
  errorCode,
  isDatabaseUnavailable,
  isInvalidValueError,
  isRetryable,
  type Sql,
} from '../../shared/db/connect.ts'
import type { RequestError } from '../../shared/db/requests/charge-requests.ts'
import { inTransaction, limitLockWaits } from '../../shared/db/transaction.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { SandboxTrigger } from '../../shared/domain/sandbox-trigger.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { BUILD_VERSION } from './build-version.ts'
import type { ChargeMetrics } from './charge-metrics.ts'
import { readInbox, runTurns, type TurnContext } from './charge-turn.ts'
import { measureConfirmationLag } from './confirmation-lag.ts'
import type { ChargeOutcome } from './decide-charge.ts'
import { decideTrigger } from './decide-trigger.ts'
import { findTurnTime } from './find-turn-times.ts'
import type { TurnFailureTracker } from './turn-failure-tracker.ts'
import { StaleReadError, writeTurns } from './write-turns.ts'

export type ChargeActorDeps = TurnContext & {
  readonly sql: Sql
  /** Called after a commit that may have appended events. */
  readonly onEvents: () => void
  readonly failedTurns: TurnFailureTracker
  readonly metrics?: ChargeMetrics
}

/** Maximum number of charges per transaction. */
const BATCH = 100

/**
 * Number of concurrent transactions, on different charges, so that the daemon decides turns while PostgreSQL writes.
 */
const SIDE_BY_SIDE = 2

/**
 * Maximum wait for a locked charge or inbox row. It exceeds the expected duration of another daemon's turn, and
 * PostgreSQL's `deadlock_timeout` of 1 s, so that a deadlock is reported as a deadlock.
 */
const LOCK_WAIT_MS = 2_000

/**
 * Maximum number of charges quarantined in a row without a successful turn. Without this limit, a bug in this service,
 * or a bad row that every turn reads, would quarantine all charges, and the same build would never release them.
 */
const MAX_CONSECUTIVE_QUARANTINES = 3

/**
 * Processes charges that have work to do, at most `BATCH` in each of `SIDE_BY_SIDE` concurrent transactions.
 *
 * If a batch fails, and the failure is not temporary, its charges are retried one by one. A charge that itself causes a
 * failure is quarantined with an alert, so that it does not block the others. Any other error, such as a database
 * failure, quarantines no charge, and is thrown once the concurrent batch has ended. If such an error occurs while
 * charges are processed one by one, the remaining charges get their turns first, unless the database is unavailable or
 * a second such error occurs.
 *
 * The charges affected by such an error are skipped for a while, unless the whole database was unavailable. Otherwise
 * they would come first in every list, and two of them would block all charges behind them.
 */
export async function runChargeTurns(deps: ChargeActorDeps): Promise<'more' | 'idle'> {
  const query = { limit: BATCH * SIDE_BY_SIDE, rule: deps.expiry }
  const resting = deps.failedTurns.listResting(deps.now())
  const ids = await listChargesWithWork(deps.sql, { ...query, except: resting })
  const batches = [ids.slice(0, BATCH), ids.slice(BATCH)].filter(({ length }) => length > 0)
  const ended = await Promise.allSettled(batches.map((batch) => takeBatch(deps, batch)))
  const [failure, ...others] = ended.flatMap((one) => (one.status === 'rejected' ? [one] : []))
  for (const { reason } of others)
    deps.log.error({ msg: 'Concurrent batch failed', error: reason as unknown })
  if (failure !== undefined) throw failure.reason
  return ended.some((one) => one.status === 'fulfilled' && one.value > 0) ? 'more' : 'idle'
}

/**
 * Returns the number of turns and quarantines; 0 if another daemon processed the charges first. A charge whose last
 * turn failed gets its own transaction, because it might make a whole batch fail again.
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
    // A temporary failure ends the batch. Unless the whole database was unavailable, one of these charges might be the
    // cause, so each of them gets its own transaction next time.
    if (isRetryable(error)) {
      if (!isDatabaseUnavailable(error)) deps.failedTurns.note(ids, deps.now())
      throw error
    }
    deps.log.warn({ msg: 'Batch failed; retrying its charges one by one', charges: ids.length, error })
    return await takeOneByOne(deps, ids)
  }
}

/**
 * Processes charges one by one. Stops at the first error of an unavailable database, or at the second failure that a
 * charge itself did not cause, such as a lock held elsewhere, which indicates a database failure. Failures that a
 * charge seems to have caused do not stop the loop: if a later charge succeeds, only the failed charges are at fault.
 * After the loop, throws the first failure.
 */
async function takeOneByOne(deps: ChargeActorDeps, ids: readonly string[]): Promise<number> {
  const troubles: unknown[] = []
  let taken = 0
  for (const id of ids) {
    try {
      taken += await takeAlone(deps, id)
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error
      deps.log.warn({ msg: 'Charge turn failed', charge_id: id, error })
      deps.failedTurns.note([id], deps.now())
      troubles.push(error)
    }
    if (troubles.filter((trouble) => !isChargeError(trouble)).length > 1) break
  }
  if (troubles.length > 0) throw troubles[0]
  return taken
}

/**
 * Applies a fact that no row of the charge's inbox shows, such as the final failure of a payout, in the caller's
 * transaction.
 */
export async function applyChargeFact(
  terms: TurnContext,
  db: Db,
  { chargeId, fact }: { readonly chargeId: string; readonly fact: ChargeFact },
): Promise<void> {
  await runTurns(terms, db, { chargeIds: await lockCharges(db, [chargeId]), facts: [fact] })
}

/**
 * Applies a sandbox trigger to a charge in the caller's transaction, as if the simulated payment or fact had happened.
 * Locks the charge and processes its inbox first.
 */
export async function applySandboxTrigger(
  terms: TurnContext,
  db: Db,
  { requestId, chargeId, apiRequestId, trigger }: Trigger,
): Promise<{ readonly outcome: 'done' } | RequestError> {
  const chargeIds = await lockCharges(db, [chargeId])
  await runTurns(terms, db, { chargeIds, facts: [] })
  const [mail] = await readInbox(terms, db, { chargeIds, facts: [] })
  if (mail === undefined) return PARKED
  const now = await findTurnTime(db, chargeId, terms.now())
  const triggered = decideTrigger(mail, trigger, now)
  if (triggered.outcome === 'refused') return triggered
  const { charge } = mail
  const { sandboxCredit } = triggered.decision
  const sender = trigger.from ?? charge.escrowReleaser
  const credit = sandboxCredit ? { ...sandboxCredit, requestId, chargeId, sender } : null
  await writeTurns({ ...terms, apiRequestId }, db, {
    turns: [{ charge, mail: triggered.mail, decision: triggered.decision }],
    ...{ now, simulated: credit === null ? [] : [await insertSandboxCredit(db, credit, now)] },
  })
  return { outcome: 'done' }
}

type Trigger = {
  readonly requestId: string
  readonly chargeId: string
  /** The request id to record in the resulting events. */
  readonly apiRequestId: string | null
  readonly trigger: SandboxTrigger
}

const PARKED: RequestError = {
  outcome: 'refused',
  code: 'service_unavailable',
  message: 'the charge is quarantined and waits for an operator',
}

/**
 * Processes one charge now, if it has work to do. Quarantines the charge with an alert if the charge itself caused a
 * failure. Throws that failure instead if too many charges were quarantined in a row.
 */
export async function runChargeTurn(deps: ChargeActorDeps, id: string): Promise<void> {
  await takeAlone(deps, id)
}

/** Returns the number of turns, 0 if the charge had no work to do. A quarantine counts as a turn. */
async function takeAlone(deps: ChargeActorDeps, id: string): Promise<number> {
  try {
    return await takeTurns(deps, [id])
  } catch (error) {
    if (!isChargeError(error)) throw error
    if (deps.failedTurns.countFault() > MAX_CONSECUTIVE_QUARANTINES) {
      deps.log.error({ msg: 'Stopped quarantining: too many consecutive turns failed', charge_id: id, error })
      throw error
    }
    deps.log.error({ msg: 'Quarantined a charge: its turn failed', charge_id: id, error })
    await quarantineCharge(deps.sql, { id, build: BUILD_VERSION })
    deps.failedTurns.forget([id])
    return 1
  }
}

/**
 * Returns whether the charge itself might have caused an error: our own code threw, or the database rejected the
 * decided values. Errors of our own code have no error code of the driver or the operating system. Node's TypeErrors
 * have a code, but also count as ours. A `StaleReadError` does not count, because the chain feed caused it.
 *
 * No other error, not even an unforeseen one, is attributed to the charge. Futile retries do little harm and
 * show in the log, but a wrongly quarantined charge stays quarantined until an operator or a new build releases it.
 */
export function isChargeError(error: unknown): boolean {
  if (error instanceof StaleReadError) return false
  const isOurs = errorCode(error) === null || error instanceof TypeError || error instanceof AppError
  return isOurs || isInvalidValueError(error)
}

async function takeTurns(deps: ChargeActorDeps, ids: readonly string[]): Promise<number> {
  const turns = await inTransaction(deps.sql, async (db) => {
    await limitLockWaits(db, LOCK_WAIT_MS)
    return runTurns(deps, db, { chargeIds: await lockCharges(db, ids), facts: [] })
  })
  deps.failedTurns.forget(ids)
  if (turns.length > 0) deps.failedTurns.endFaults()
  deps.onEvents()
  for (const turn of turns) {
    logTurn(deps.log, turn.charge, turn.decision)
    const delay = measureConfirmationLag(turn)
    if (delay !== null) deps.metrics?.noteConfirmed(delay)
  }
  return turns.length
}

function logTurn(log: Logger, charge: ChargeRow, { state, credits, events }: ChargeOutcome): void {
  log.info({
    msg: 'Completed a charge turn',
    charge_id: charge.id,
    api_request_id: charge.apiRequestId,
    status: state.status,
    settlement_status: state.settlementStatus,
    received_atto: state.receivedAtto,
    credited_transfers: credits.length,
    events,
  })
}
