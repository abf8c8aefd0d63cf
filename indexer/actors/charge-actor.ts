import type { ChargeFact } from '../../machines/charge.ts'
import {
  type DueSplitEvent,
  type ExpiryRule,
  listChargesWithMail,
  listDueCredits,
  listDueSplitEvents,
  listPassedDeadlines,
  lockCharges,
  readLockedCharges,
} from '../../shared/db/charge-mail.ts'
import type { Refusal } from '../../shared/db/charge-requests.ts'
import { type ChargeRow, toChargeRecord } from '../../shared/db/charge-row.ts'
import {
  listPairLedgers,
  markCredited,
  markSplitEvents,
  type PairLedger,
  parkCharge,
  updateCharges,
  upsertPairLedgers,
} from '../../shared/db/charge-state.ts'
import { type Db, isRetryable, type Sql } from '../../shared/db/connect.ts'
import { listDueEscrowMovements, markEscrowMovementsTold } from '../../shared/db/escrow-movements.ts'
import { appendEvents, type NewEvent } from '../../shared/db/events.ts'
import { changeHeldShares, type HeldChange } from '../../shared/db/held-shares.ts'
import { lockPayoutsOfCharge } from '../../shared/db/payouts.ts'
import { insertSandboxCredit } from '../../shared/db/sandbox-credits.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { EVENT_CATEGORY, type EventType } from '../../shared/domain/event.ts'
import { newId } from '../../shared/domain/ids.ts'
import { atomic } from '../../shared/domain/money.ts'
import { pairKey } from '../../shared/domain/networks.ts'
import { presentCharge } from '../../shared/domain/present-charge.ts'
import type { SandboxTrigger } from '../../shared/domain/sandbox-trigger.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { decideTrigger } from '../sandbox/decide-trigger.ts'
import { openPayouts } from '../settlement/open-payouts.ts'
import { type ChargeDecision, type ChargeMail, decideCharge, isCovered, owes } from './decide-charge.ts'
import { movePayout } from './move-payout.ts'

/** What the actors of charges work with. */
export type ChargeActorDeps = {
  readonly sql: Sql
  readonly now: Clock
  readonly log: Logger
  readonly graceSeconds: number
  readonly expiry: ExpiryRule
  /** Called after a commit that appended events. */
  readonly onEvents: () => void
}

/** Charges of one transaction; 500 paid in one block are five of them. */
const BATCH = 100

/**
 * Gives every charge with something to do its turn, at most `BATCH` of them.
 *
 * A batch that fails is done again one by one; the charge that fails alone is parked with an alert, so that it does
 * not hold up the others. What fails for want of the database is not parked but thrown.
 */
export async function takeChargeTurns(deps: ChargeActorDeps): Promise<'more' | 'idle'> {
  const ids = await listChargesWithMail(deps.sql, { limit: BATCH, rule: deps.expiry })
  if (ids.length === 0) return 'idle'
  try {
    // None taken: another daemon was faster, and what is left of the list is its to finish.
    return (await takeTurns(deps, ids)) > 0 ? 'more' : 'idle'
  } catch (error) {
    if (isRetryable(error)) throw error
    deps.log.warn({ msg: 'A batch of charges failed and is done one by one', charges: ids.length, error })
    for (const id of ids) await takeChargeTurn(deps, id)
    return 'more'
  }
}

/** Tells a charge, in the caller's transaction, what its own mail does not: that a payout has failed for good. */
export async function tellCharge(
  deps: Pick<ChargeActorDeps, 'now' | 'graceSeconds' | 'expiry'>,
  db: Db,
  { chargeId, fact }: { readonly chargeId: string; readonly fact: ChargeFact },
): Promise<void> {
  await turn(deps, db, { chargeIds: await lockCharges(db, [chargeId]), facts: [fact] })
}

/**
 * Does to a charge, in the caller's transaction, what a sandbox trigger stands for, as a payment or a fact of its own
 * would; first the charge sees to the mail it has. Locks the charge.
 *
 * @returns `done`, or why it cannot be done
 */
export async function triggerCharge(
  deps: Pick<ChargeActorDeps, 'now' | 'graceSeconds' | 'expiry'>,
  db: Db,
  { requestId, chargeId, trigger }: { requestId: string; chargeId: string; trigger: SandboxTrigger },
): Promise<{ readonly outcome: 'done' } | Refusal> {
  const chargeIds = await lockCharges(db, [chargeId])
  await turn(deps, db, { chargeIds, facts: [] })
  const [mail] = await readMail(deps, db, { chargeIds, facts: [] })
  if (mail === undefined) return PARKED
  const now = deps.now()
  const triggered = decideTrigger(mail, trigger, now)
  if (triggered.outcome === 'refused') return triggered
  const { charge } = mail
  const { sandboxCredit } = triggered.decision
  if (sandboxCredit) await insertSandboxCredit(db, { ...sandboxCredit, requestId, chargeId }, now)
  await write(deps, db, { turns: [{ charge, mail: triggered.mail, decision: triggered.decision }], now })
  return { outcome: 'done' }
}

const PARKED: Refusal = {
  outcome: 'refused',
  code: 'service_unavailable',
  message: 'the charge waits for an operator; nothing can happen to it before',
}

/**
 * Gives one charge its turn now, if it has something to do; parks it with an alert if that fails for a reason of its
 * own.
 */
export async function takeChargeTurn(deps: ChargeActorDeps, id: string): Promise<void> {
  try {
    await takeTurns(deps, [id])
  } catch (error) {
    if (isRetryable(error) || error instanceof OvertakenError) throw error
    deps.log.error({ msg: 'Parked a charge whose turn fails', charge_id: id, error })
    await parkCharge(deps.sql, id)
  }
}

/** Answers how many charges had something to do. */
async function takeTurns(deps: ChargeActorDeps, ids: readonly string[]): Promise<number> {
  const turns = await inTransaction(deps.sql, async (db) =>
    turn(deps, db, { chargeIds: await lockCharges(db, ids), facts: [] }),
  )
  deps.onEvents()
  for (const { charge, decision } of turns) logTurn(deps.log, charge, decision)
  return turns.length
}

type Turn = { readonly charge: ChargeRow; readonly mail: ChargeMail; readonly decision: ChargeDecision }

/** Reads the mail of charges whose locks the caller holds, decides, and writes everything. */
async function turn(
  deps: Pick<ChargeActorDeps, 'now' | 'graceSeconds' | 'expiry'>,
  db: Db,
  input: { readonly chargeIds: readonly string[]; readonly facts: readonly ChargeFact[] },
): Promise<readonly Turn[]> {
  const now = deps.now()
  const mails = await readMail(deps, db, input)
  const turns = mails
    .map((mail) => ({ charge: mail.charge, mail, decision: decideCharge(mail, now) }))
    .filter(({ mail }) => hasMail(mail))
  if (turns.length > 0) await write(deps, db, { turns, now })
  return turns
}

async function readMail(
  deps: Pick<ChargeActorDeps, 'expiry'>,
  db: Db,
  { chargeIds, facts }: { readonly chargeIds: readonly string[]; readonly facts: readonly ChargeFact[] },
): Promise<readonly ChargeMail[]> {
  // Deadlines first: a transfer recorded after this read would hold its charge open, one before it is in the mail.
  const passed = new Set(await listPassedDeadlines(db, { chargeIds, rule: deps.expiry }))
  const credits = groupByCharge(await listDueCredits(db, chargeIds))
  const splitEvents = groupByCharge(await listDueSplitEvents(db, chargeIds))
  const escrowMovements = groupByCharge(await listDueEscrowMovements(db, chargeIds))
  const ledgers = groupByCharge(await listPairLedgers(db, chargeIds))
  return (await readLockedCharges(db, chargeIds)).map((charge) => ({
    charge,
    credits: credits.get(charge.id) ?? [],
    splitEvents: splitEvents.get(charge.id) ?? [],
    escrowMovements: escrowMovements.get(charge.id) ?? [],
    ledgers: ledgers.get(charge.id) ?? [],
    sandboxCredit: null,
    isDeadlinePassed: passed.has(charge.id),
    facts,
  }))
}

function hasMail({ credits, splitEvents, escrowMovements, isDeadlinePassed, facts }: ChargeMail): boolean {
  return credits.length + splitEvents.length + escrowMovements.length + facts.length > 0 || isDeadlinePassed
}

async function write(
  deps: Pick<ChargeActorDeps, 'graceSeconds'>,
  db: Db,
  { turns, now }: { readonly turns: readonly Turn[]; readonly now: Date },
): Promise<void> {
  const credits = turns.flatMap(({ decision }) => decision.credits)
  requireAll(credits, await markCredited(db, credits, now))
  const movements = turns.flatMap(({ decision }) => decision.escrowMovements)
  requireAll(movements, await markEscrowMovementsTold(db, movements, now))
  const splitEvents = turns.flatMap(({ decision }) => decision.splitEvents)
  requireAll(splitEvents, await markSplitEvents(db, splitEvents, now))
  await changeHeldShares(db, turns.flatMap(heldChangesOf), now)
  await upsertPairLedgers(
    db,
    turns.flatMap(({ decision }) => decision.ledgers),
  )
  await updateCharges(
    db,
    turns.map(({ decision }) => decision.state),
  )
  await appendEvents(
    db,
    turns.flatMap((taken) => eventsOf(taken, now)),
  )
  for (const taken of turns) await writePayouts(deps, db, { taken, now })
}

/** What splits hold for their recipients since this turn (decisions 5.3). */
function heldChangesOf({ mail }: Turn): readonly HeldChange[] {
  return mail.splitEvents.flatMap(({ kind, isDeep, account, amountAtomic, ...event }) => {
    if (!isDeep || kind === 'distributed') return []
    const { chargeId, chainId, tokenAddress } = event
    const changeAtomic = atomic(kind === 'held' ? amountAtomic : -1n * amountAtomic)
    return [{ chargeId, chainId, tokenAddress, recipient: account, changeAtomic }]
  })
}

function requireAll(due: readonly unknown[], marked: number): void {
  if (marked !== due.length) throw new OvertakenError({ due: due.length, marked })
}

async function writePayouts(
  { graceSeconds }: Pick<ChargeActorDeps, 'graceSeconds'>,
  db: Db,
  { taken, now }: { readonly taken: Turn; readonly now: Date },
): Promise<void> {
  const { charge, mail, decision } = taken
  if (decision.opensPayouts) await openPayouts(db, { chargeId: charge.id, graceSeconds, nowDate: now })
  if (mail.splitEvents.length === 0) return
  const ledgers = new Map([...mail.ledgers, ...decision.ledgers].map((ledger) => [pairKey(ledger), ledger]))
  for (const payout of await lockPayoutsOfCharge(db, charge.id)) {
    const events = mail.splitEvents.filter(
      (event) => event.kind === 'distributed' && pairKey(event) === pairKey(payout),
    )
    const news = newsOf(events, { ledger: ledgers.get(pairKey(payout)), graceSeconds })
    if (news) await movePayout(db, payout, { news, now })
  }
}

/** What a pair's split events mean to its payout: covered before fallen short before seen before vanished. */
function newsOf(
  events: readonly DueSplitEvent[],
  { ledger, graceSeconds }: { readonly ledger: PairLedger | undefined; readonly graceSeconds: number },
) {
  const latest = events.findLast(({ isVanished }) => !isVanished)
  const distribution = latest ? { distributorAddress: latest.account, txHash: latest.txHash } : null
  if (ledger && isCovered(ledger)) return { type: 'payout.covered', distribution } as const
  if (ledger && latest?.isDeep && owes(ledger))
    return { type: 'distribution.fell_short', graceSeconds } as const
  if (distribution) return { type: 'distribution.seen', distribution } as const
  return events.length > 0 ? ({ type: 'distribution.vanished', graceSeconds } as const) : null
}

/** What an escrow that its releaser moves on chain changes without a public event (decisions 4.4). */
const SILENT_CHANGES = ['settlementStatus', 'escrowReleasedAt', 'escrowRefundedAt'] as const

/** The public events of a turn, or the internal one that tells streams of any other change (decisions 3.12). */
function eventsOf({ charge, mail, decision }: Turn, now: Date): readonly NewEvent[] {
  const hasChanged =
    mail.credits.length > 0 || SILENT_CHANGES.some((key) => charge[key] !== decision.state[key])
  const types: readonly EventType[] =
    decision.events.length > 0 ? decision.events : hasChanged ? ['charge.updated'] : []
  const record = toChargeRecord({ ...charge, ...decision.state })
  const data = presentCharge(record, { checkoutUrl: null, swapAlternatives: [] })
  return types.map((type) => ({
    id: newId('evt', now.getTime()),
    category: EVENT_CATEGORY[type],
    type,
    organizationId: charge.organizationId,
    environment: charge.environment,
    chargeId: charge.id,
    data,
    createdAt: now,
  }))
}

function logTurn(log: Logger, charge: ChargeRow, { state, credits, events }: ChargeDecision): void {
  log.info({
    msg: 'Moved a charge',
    charge_id: charge.id,
    status: state.status,
    settlement_status: state.settlementStatus,
    received_atto: state.receivedAtto,
    credited_transfers: credits.length,
    events,
  })
}

function groupByCharge<Row extends { readonly chargeId: string }>(
  rows: readonly Row[],
): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) groups.set(row.chargeId, [...(groups.get(row.chargeId) ?? []), row])
  return groups
}

/** The chain feed moved a row between reading and marking it: the turn is rolled back and done again. */
class OvertakenError extends AppError {
  constructor(details: { readonly due: number; readonly marked: number }) {
    super('internal_error', 'the chain feed moved a row under the turn', { details, retryable: true })
  }
}
