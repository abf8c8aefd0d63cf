import { type SnapshotFrom, transition } from 'xstate'
import { type AppendedEvent, type ChargeFact, chargeMachine } from '../../machines/charge.ts'
import type { ChargeRow } from '../../shared/db/charges/charge-row.ts'
import type {
  ChargeState,
  DecidedCredit,
  DecidedSplitEvent,
  PairLedger,
} from '../../shared/db/charges/daemon/charge-state.ts'
import type { ToldEscrowMovement } from '../../shared/db/escrow/daemon/escrow-movements.ts'
import { isOpen } from '../../shared/domain/charge.ts'
import { type AttoDollars, atto, microToAtto } from '../../shared/domain/money.ts'
import { type Pair, pairKey } from '../../shared/domain/networks.ts'
import {
  isSettled,
  type LedgerMail,
  moveLedgers,
  settleLateFunds,
  settleReleased,
} from '../payouts/pair-ledgers.ts'

/** What a charge's actor finds when it takes its turn. */
export type ChargeMail = LedgerMail & {
  /** A payment that the sandbox simulates in this turn; it reaches no split, so no ledger hears of it. */
  readonly sandboxCredit: SandboxMail | null
  readonly isDeadlinePassed: boolean
  /** What others ask it to hear: a payout that failed for good. */
  readonly facts: readonly ChargeFact[]
}

/** A simulated payment, of a pair that the charge accepts. */
export type SandboxMail = Pair & { readonly amountAtto: AttoDollars }

/** What it decides. */
export type ChargeDecision = {
  readonly state: ChargeState
  readonly sandboxCredit: (SandboxMail & CreditMarks) | null
  readonly ledgers: readonly PairLedger[]
  readonly credits: readonly DecidedCredit[]
  readonly splitEvents: readonly DecidedSplitEvent[]
  /** Those the charge has now heard of. */
  readonly escrowMovements: readonly ToldEscrowMovement[]
  readonly events: readonly AppendedEvent[]
  readonly opensPayouts: boolean
}

type CreditMarks = Pick<DecidedCredit, 'onTime' | 'causedTransition'>

type Machine = SnapshotFrom<typeof chargeMachine>

type Progress = {
  readonly machine: Machine
  readonly events: readonly AppendedEvent[]
  readonly opensPayouts: boolean
}

/**
 * Decides one turn of a charge: distributions at depth go into the ledger, then credits, then what left the escrow,
 * then the deadline, then other facts such as the end of the escrow, and at last whether what decides the settlement has
 * been paid out.
 *
 * Pure. In this order, because a keeper may distribute before we have credited (decisions 5.2), and what was mined in
 * time goes before the deadline.
 */
export function decideCharge(mail: ChargeMail, now: Date): ChargeDecision {
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
  const { progress: end, ledgers } = decideSettlement(mail, told, moveLedgers(mail, found.settling))
  return {
    state: stateOf(mail, { machine: end.machine, now }),
    ledgers: ledgers.filter((ledger) => !mail.ledgers.includes(ledger)),
    credits: found.credits,
    sandboxCredit: simulated.credit,
    splitEvents: mail.splitEvents.map(({ id, blockHash, amountAtomic, isVanished, isDeep }) => ({
      id,
      blockHash,
      amountAtomic,
      isAnnounced: !isVanished,
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

/** What a movement out of a Safe changes by itself: it ends no escrow, `end-escrows.ts` does. */
const SPLIT_REACHED = { type: 'split.reached' } as const

function decideCredits(mail: ChargeMail, start: Progress) {
  const credits: DecidedCredit[] = []
  const settling = new Set<number>()
  let progress = start
  for (const { id, amountAtto, blockHash, blockTimestamp } of mail.credits) {
    const onTime = blockTimestamp * 1000 < mail.charge.expiresAt.getTime()
    const { value } = progress.machine
    // What arrives in a Safe after the end decides no settlement (decisions 4.4).
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

/** Decides whether an expired charge has something to settle now, and whether what there is to settle is paid out. */
function decideSettlement(
  mail: ChargeMail,
  told: Progress,
  moved: readonly PairLedger[],
): { readonly progress: Progress; readonly ledgers: readonly PairLedger[] } {
  const { status, settlement, escrow } = told.machine.value
  const isUnsettled = status === 'expired' && settlement === 'none'
  // Of a charge that was open until now nothing could be settled before: all of its money is as new as its end.
  const ledgers = isOpen(mail.charge) ? [] : mail.ledgers
  const late = isUnsettled ? settleLateFunds({ ...mail, ledgers }, moved) : null
  const isReleasedNow = mail.charge.escrowReleasedAt === null && escrow === 'released'
  // An expired charge settles only what is worth a payout: `late`.
  const settled = late ?? (isReleasedNow && status !== 'expired' ? settleReleased(moved) : moved)
  const facts: readonly ChargeFact[] = [
    ...(late || (isUnsettled && isSimulationDue(mail, told)) ? [{ type: 'late_funds.due' } as const] : []),
    ...(isSettled(settled) ? [{ type: 'payouts.completed' } as const] : []),
  ]
  return { progress: facts.reduce(hear, told), ledgers: settled }
}

/** A simulated payment is on time for as long as the charge is not closed: no chain's clock speaks of it. */
function decideSandboxCredit({ sandboxCredit }: ChargeMail, progress: Progress) {
  if (sandboxCredit === null) return { progress, credit: null }
  const { status } = progress.machine.value
  const { amountAtto } = sandboxCredit
  const onTime = status !== 'expired' && status !== 'underpaid'
  const credited = hearCredit(progress, { amountAtto, onTime })
  return { progress: credited.progress, credit: { ...sandboxCredit, ...credited.marks } }
}

/** Simulated money is in no ledger and on no chain: what counts is the minimum that no chain overrides. */
function isSimulationDue({ sandboxCredit, minimumPayoutOf }: ChargeMail, { machine }: Progress): boolean {
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

/** Feeds the machine one fact and collects what it wants done. */
function hear(progress: Progress, fact: ChargeFact): Progress {
  const [machine, actions] = transition(chargeMachine, progress.machine, fact)
  const appended = actions.flatMap((action) =>
    action.type === 'appendEvent' ? [(action.params as { type: AppendedEvent }).type] : [],
  )
  return {
    machine,
    events: [...progress.events, ...appended],
    opensPayouts: progress.opensPayouts || actions.some(({ type }) => type === 'openPayouts'),
  }
}

function stateOf(mail: ChargeMail, { machine, now }: { machine: Machine; now: Date }): ChargeState {
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

/** Null until the first credit, which is not the same as zero. */
function receivedOf(received: AttoDollars, charge: ChargeRow, credits: readonly Pair[]): AttoDollars | null {
  return charge.receivedAtto === null && credits.length === 0 ? null : received
}
