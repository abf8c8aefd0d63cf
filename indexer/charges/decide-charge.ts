import { type SnapshotFrom, transition } from 'xstate'
import { type ChargeEventType, type ChargeFact, chargeMachine } from '../../machines/charge.ts'
import type { ChargeRow } from '../../shared/db/charges/charge-row.ts'
import type {
  ChargeState,
  PairLedger,
  ProcessedSplitEvent,
} from '../../shared/db/charges/daemon/charge-state.ts'
import type { DecidedCredit } from '../../shared/db/charges/daemon/mark-credited.ts'
import type { AppliedEscrowTransfer } from '../../shared/db/escrow/daemon/escrow-transfers.ts'
import { isOpen } from '../../shared/domain/charge.ts'
import { type AttoDollars, atto, microToAtto } from '../../shared/domain/money.ts'
import { type Pair, pairKey } from '../../shared/domain/networks.ts'
import {
  isSettled,
  type LedgerChanges,
  settleReleased,
  updateLateLedgers,
  updateLedgers,
} from '../payouts/update-ledgers.ts'

export type ChargeInbox = LedgerChanges & {
  /** A payment that the sandbox simulates in this turn. It does not reach a split, so no ledger records it. */
  readonly sandboxCredit: SandboxPayment | null
  readonly isDeadlinePassed: boolean
  /**
   * Facts that no row of the inbox shows, such as the final failure of a payout, the end of the escrow, or a strike.
   */
  readonly facts: readonly ChargeFact[]
}

/** A simulated payment in a pair that the charge accepts. */
export type SandboxPayment = Pair & { readonly amountAtto: AttoDollars }

export type ChargeOutcome = {
  readonly state: ChargeState
  readonly sandboxCredit: (SandboxPayment & CreditMarks) | null
  readonly ledgers: readonly PairLedger[]
  readonly credits: readonly DecidedCredit[]
  readonly splitEvents: readonly ProcessedSplitEvent[]
  readonly escrowMovements: readonly AppliedEscrowTransfer[]
  readonly events: readonly ChargeEventType[]
  readonly opensPayouts: boolean
}

type CreditMarks = Pick<DecidedCredit, 'onTime' | 'causedTransition'>

type Machine = SnapshotFrom<typeof chargeMachine>

type Progress = {
  readonly machine: Machine
  readonly events: readonly ChargeEventType[]
  readonly opensPayouts: boolean
}

/**
 * Decides one turn of a charge. `machines/charge.ts` decides the status, and
 * `shared/db/charges/daemon/charge-inbox.ts` which transfers are deep enough to be credited. Applies split events at
 * confirmation depth to the ledgers, then credits, escrow transfers, the deadline, and other facts such as the end of
 * the escrow. Finally, checks whether the amounts that decide the settlement are paid out.
 *
 * Pure. The order matters, because a keeper can distribute a payment before we have credited it (decisions 5.2), and
 * payments mined in time precede the deadline.
 */
export function decideCharge(mail: ChargeInbox, now: Date): ChargeOutcome {
  const { charge } = mail
  const start: Progress = { machine: restore(charge), events: [], opensPayouts: false }
  const found = decideCredits(mail, start)
  const simulated = decideSandboxCredit(mail, found.progress)
  const facts: readonly ChargeFact[] = [
    ...mail.escrowMovements.flatMap(({ isIntoSplit }) => (isIntoSplit ? [SPLIT_REACHED] : [])),
    ...(mail.isDeadlinePassed ? [{ type: 'deadline.passed' } as const] : []),
    ...mail.facts,
  ]
  const told = facts.reduce(hear, simulated.progress)
  const { progress: end, ledgers } = decideSettlement(mail, told, updateLedgers(mail, found.settling))
  return {
    state: stateOf(mail, { machine: end.machine, now }),
    ledgers: ledgers.filter((ledger) => !mail.ledgers.includes(ledger)),
    credits: found.credits,
    sandboxCredit: simulated.credit,
    splitEvents: mail.splitEvents.map(({ id, blockHash, amountAtomic, isOrphaned, isDeep }) => ({
      id,
      blockHash,
      amountAtomic,
      isAnnounced: !isOrphaned,
      isApplied: isDeep,
    })),
    escrowMovements: mail.escrowMovements.map(
      ({ id, blockHash, action, recipient, amountAtomic, dustAtto }) => ({
        ...{ id, blockHash, action, recipient, amountAtomic, dustAtto },
      }),
    ),
    events: end.events,
    opensPayouts: end.opensPayouts,
  }
}

function restore(charge: ChargeRow): Machine {
  return chargeMachine.resolveState({
    value: {
      status: charge.status,
      settlement: charge.settlementStatus ?? 'none',
      escrow: escrowStateOf(charge),
    },
    context: {
      targetAtto: microToAtto(charge.amountMicro),
      receivedAtto: charge.receivedAtto ?? atto(0n),
      onTimeAtto: charge.onTimeAtto,
      isOverpaidAnnounced: charge.overpaidAnnounced,
    },
  })
}

function escrowStateOf(charge: ChargeRow): 'none' | 'held' | 'released' | 'refunded' {
  if (charge.escrowReleaser === null) return 'none'
  if (charge.escrowReleasedAt !== null) return 'released'
  return charge.escrowRefundedAt === null ? 'held' : 'refunded'
}

/** The fact of an escrow transfer into the split. It does not end the escrow; `end-escrows.ts` decides the end. */
const SPLIT_REACHED = { type: 'split.reached' } as const

function decideCredits(mail: ChargeInbox, start: Progress) {
  const credits: DecidedCredit[] = []
  const settling = new Set<number>()
  let progress = start
  for (const { id, amountAtto, blockHash, blockTimestamp } of mail.credits) {
    const onTime = blockTimestamp * 1000 < mail.charge.expiresAt.getTime()
    const { value } = progress.machine
    // A payment credited after the escrow's end does not decide the settlement (decisions 4.4).
    if (onTime && isOpen(value) && !hasEnded(value)) settling.add(id)
    const credited = hearCredit(progress, { amountAtto, onTime })
    progress = credited.progress
    credits.push({ id, blockHash, amountAtto, blockTimestamp, ...credited.marks })
  }
  return { progress, credits, settling }
}

function hasEnded({ escrow }: Machine['value']): boolean {
  return escrow === 'released' || escrow === 'refunded'
}

/**
 * Decides whether an expired charge must settle now, and whether the amounts to settle are paid out. If an escrow is
 * released before the deadline, its charge settles only once the status is final, because the credits that decide the
 * settlement are not all known earlier.
 */
function decideSettlement(
  mail: ChargeInbox,
  told: Progress,
  moved: readonly PairLedger[],
): { readonly progress: Progress; readonly ledgers: readonly PairLedger[] } {
  const { status, settlement, escrow } = told.machine.value
  const isUnsettled = status === 'expired' && settlement === 'none'
  const isReleasedNow = mail.charge.escrowReleasedAt === null && escrow === 'released'
  // A charge that was open, or whose escrow was held, until this turn could not settle earlier, so all of its credits
  // count as new.
  const ledgers = isOpen(mail.charge) || isReleasedNow ? [] : mail.ledgers
  const late = isUnsettled ? updateLateLedgers({ ...mail, ledgers }, moved) : null
  // An expired charge that has not settled yet settles only amounts that are worth a payout (`late`).
  const settled = late ?? (isReleasedNow && status !== 'expired' ? settleReleased(moved) : moved)
  const facts: readonly ChargeFact[] = [
    ...(late || (isUnsettled && isSimulationDue(mail, told)) ? [{ type: 'late_funds.due' } as const] : []),
    ...(!isOpen({ status }) && isSettled(settled) ? [{ type: 'payouts.completed' } as const] : []),
  ]
  return { progress: facts.reduce(hear, told), ledgers: settled }
}

/**
 * Decides the credit of a simulated payment. The payment has no block time, so it is on time unless the charge is
 * expired or underpaid.
 */
function decideSandboxCredit({ sandboxCredit }: ChargeInbox, progress: Progress) {
  if (sandboxCredit === null) return { progress, credit: null }
  const { status } = progress.machine.value
  const { amountAtto } = sandboxCredit
  const onTime = status !== 'expired' && status !== 'underpaid'
  const credited = hearCredit(progress, { amountAtto, onTime })
  return { progress: credited.progress, credit: { ...sandboxCredit, ...credited.marks } }
}

/**
 * Returns whether a simulated credit lets an expired charge settle, because the charge has received the minimum payout
 * in total. The credit is on no chain, so the general minimum applies, without a network's override.
 */
function isSimulationDue({ sandboxCredit, minimumPayoutOf }: ChargeInbox, { machine }: Progress): boolean {
  return sandboxCredit !== null && machine.context.receivedAtto >= minimumPayoutOf(NO_CHAIN)
}

const NO_CHAIN = 0

function hearCredit(
  progress: Progress,
  { amountAtto, onTime }: { readonly amountAtto: AttoDollars; readonly onTime: boolean },
): { readonly progress: Progress; readonly marks: CreditMarks } {
  const before = progress.machine.value.status
  const after = hear(progress, { type: 'transfer.credited', amountAtto, onTime })
  return { progress: after, marks: { onTime, causedTransition: after.machine.value.status !== before } }
}

function hear(progress: Progress, fact: ChargeFact): Progress {
  const [machine, actions] = transition(chargeMachine, progress.machine, fact)
  const appended = actions.flatMap((action) =>
    action.type === 'appendEvent' ? [(action.params as { type: ChargeEventType }).type] : [],
  )
  return {
    machine,
    events: [...progress.events, ...appended],
    opensPayouts: progress.opensPayouts || actions.some(({ type }) => type === 'openPayouts'),
  }
}

function stateOf(mail: ChargeInbox, { machine, now }: { machine: Machine; now: Date }): ChargeState {
  const { charge } = mail
  const credits: readonly Pair[] = [...mail.credits, ...(mail.sandboxCredit ? [mail.sandboxCredit] : [])]
  const { status, settlement, escrow } = machine.value
  const settlementStatus = settlement === 'none' ? null : settlement
  return {
    id: charge.id,
    status,
    settlementStatus,
    receivedAtto: receivedOf(machine.context.receivedAtto, charge, credits),
    onTimeAtto: machine.context.onTimeAtto,
    overpaidAnnounced: machine.context.isOverpaidAnnounced,
    paidWith: [...new Set([...charge.paidWith, ...credits.map(pairKey)])],
    confirmedAt: charge.confirmedAt ?? (status === 'confirmed' ? now : null),
    settledAt: charge.settledAt ?? (settlementStatus === 'completed' ? now : null),
    lastActivityAt: credits.length > 0 ? now : charge.lastActivityAt,
    escrowReleasedAt: charge.escrowReleasedAt ?? (escrow === 'released' ? now : null),
    escrowRefundedAt: charge.escrowRefundedAt ?? (escrow === 'refunded' ? now : null),
  }
}

/** Returns `null`, not zero, before the first credit. */
function receivedOf(received: AttoDollars, charge: ChargeRow, credits: readonly Pair[]): AttoDollars | null {
  return charge.receivedAtto === null && credits.length === 0 ? null : received
}
