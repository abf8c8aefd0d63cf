import type { DueSplitEvent } from '../../shared/db/charges/charge-mail.ts'
import { type ChargeRow, toChargeRecord } from '../../shared/db/charges/charge-row.ts'
import {
  markCredited,
  markSplitEvents,
  type PairLedger,
  updateCharges,
  upsertPairLedgers,
} from '../../shared/db/charges/charge-state.ts'
import type { Db } from '../../shared/db/connect.ts'
import { markEscrowMovementsTold } from '../../shared/db/escrow/escrow-movements.ts'
import { appendEvents, type NewEvent } from '../../shared/db/events/events.ts'
import { changeHeldShares, type HeldChange } from '../../shared/db/payouts/held-shares.ts'
import { lockPayoutsOfCharge } from '../../shared/db/payouts/payouts.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { EVENT_CATEGORY, type EventType } from '../../shared/domain/event.ts'
import { newId } from '../../shared/domain/ids.ts'
import { atomic } from '../../shared/domain/money.ts'
import { pairKey } from '../../shared/domain/networks.ts'
import { presentCharge } from '../../shared/domain/present-charge.ts'
import { movePayout } from '../payouts/move-payout.ts'
import { openPayouts } from '../payouts/open-payouts.ts'
import { isCovered, owes } from '../payouts/pair-ledgers.ts'
import type { ChargeDecision, ChargeMail } from './decide-charge.ts'

/** A charge as it was, what it had to act on, and what was decided. */
export type ChargeTurn = {
  readonly charge: ChargeRow
  readonly mail: ChargeMail
  readonly decision: ChargeDecision
}

/** What is written into payouts and events beside what was decided. */
export type WriteTerms = {
  readonly graceSeconds: number
  /** Events carry the same Charge as reads (specification, "Charge"), the link to its checkout included. */
  readonly checkoutBaseUrl: string | null
}

/** The chain feed moved a row between reading and marking it: the turn is rolled back and done again. */
export class OvertakenError extends AppError {
  constructor(details: { readonly due: number; readonly marked: number }) {
    super('internal_error', 'the chain feed moved a row under the turn', { details, retryable: true })
  }
}

/**
 * Writes what turns decided: rows marked, ledgers, charges, events, payouts; few statements for all of them.
 *
 * @throws {OvertakenError} if a row that a turn counted is no longer as it was read
 */
export async function writeTurns(
  terms: WriteTerms,
  db: Db,
  { turns, now }: { readonly turns: readonly ChargeTurn[]; readonly now: Date },
): Promise<void> {
  // In the order in which the chain feed writes the same tables: two orders would deadlock.
  const credits = turns.flatMap(({ decision }) => decision.credits)
  requireAll(credits, await markCredited(db, credits, now))
  const splitEvents = turns.flatMap(({ decision }) => decision.splitEvents)
  requireAll(splitEvents, await markSplitEvents(db, splitEvents, now))
  const movements = turns.flatMap(({ decision }) => decision.escrowMovements)
  requireAll(movements, await markEscrowMovementsTold(db, movements, now))
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
    turns.flatMap((taken) => eventsOf(terms, { taken, now })),
  )
  for (const taken of turns) await writePayouts(terms, db, { taken, now })
}

/** What splits hold for their recipients since this turn (decisions 5.3). */
function heldChangesOf({ mail }: ChargeTurn): readonly HeldChange[] {
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
  { graceSeconds }: { readonly graceSeconds: number },
  db: Db,
  { taken, now }: { readonly taken: ChargeTurn; readonly now: Date },
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
  if (ledger && isCovered(ledger)) return { type: 'payout.covered', distribution, isOffered: true } as const
  if (ledger && latest?.isDeep && owes(ledger))
    return { type: 'distribution.fell_short', graceSeconds } as const
  if (distribution) return { type: 'distribution.seen', distribution } as const
  return events.length > 0 ? ({ type: 'distribution.vanished', graceSeconds } as const) : null
}

/** What an escrow that its releaser moves on chain changes without a public event (decisions 4.4). */
const SILENT_CHANGES = ['settlementStatus', 'escrowReleasedAt', 'escrowRefundedAt'] as const

/** The public events of a turn, or the internal one that tells streams of any other change (decisions 3.12). */
function eventsOf(
  { checkoutBaseUrl }: Pick<WriteTerms, 'checkoutBaseUrl'>,
  { taken, now }: { readonly taken: ChargeTurn; readonly now: Date },
): readonly NewEvent[] {
  const { charge, mail, decision } = taken
  const hasChanged =
    mail.credits.length > 0 || SILENT_CHANGES.some((key) => charge[key] !== decision.state[key])
  const types: readonly EventType[] =
    decision.events.length > 0 ? decision.events : hasChanged ? ['charge.updated'] : []
  const record = toChargeRecord({ ...charge, ...decision.state })
  const data = presentCharge(record, { checkoutBaseUrl, swapAlternatives: [] })
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
