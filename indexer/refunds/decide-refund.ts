import { transition } from 'xstate'
import { type RefundContext, type RefundFact, refundMachine } from '../../machines/refund.ts'
import type { RefundState, RefundTransferRow } from '../../shared/db/refunds/daemon/update-refund.ts'
import type { Address } from '../../shared/domain/address.ts'
import { invariant } from '../../shared/domain/errors.ts'
import type { AtomicUnits } from '../../shared/domain/money.ts'
import { REFUND_STATUSES, type RefundStatus } from '../../shared/domain/refund/refund.ts'

/** A fact of the refund machine, with the values that the refund's columns need. */
export type RefundNews =
  | { readonly type: 'destination.claimed' }
  /** `afterBlock` is `null` in the sandbox. */
  | {
      readonly type: 'destination.approved'
      readonly destination: Address
      readonly afterBlock: number | null
    }
  | { readonly type: 'destination.rejected' }
  | { readonly type: 'transfer.seen'; readonly transfer: RefundTransferRow }
  /** `transfer` is `null` in the sandbox. */
  | {
      readonly type: 'transfer.final'
      readonly transfer: RefundTransferRow | null
      readonly countedAtomic: AtomicUnits
    }
  | { readonly type: 'transfer.vanished' }
  | { readonly type: 'deadline.passed' }
  | { readonly type: 'cancel.ordered' }

/** Effects that the caller runs after the refund is updated. */
export const REFUND_EFFECTS = [
  'announceClaimed',
  'announceApproved',
  'announceRefunded',
  'announceExpired',
] as const

export type RefundEffect = (typeof REFUND_EFFECTS)[number]

/** The refund after a fact was applied. If the fact changed nothing, `state` is the same object, without effects. */
export type RefundDecision = { readonly state: RefundState; readonly effects: readonly RefundEffect[] }

/** Applies a fact to a refund: the machine decides the next status and which columns change. Pure. */
export function decideRefund(state: RefundState, news: RefundNews, now: Date): RefundDecision {
  const before = refundMachine.resolveState({ value: state.status, context: { end: endOf(state) } })
  const fact: RefundFact = { type: news.type }
  const [next, actions] = transition(refundMachine, before, fact)
  if (next.value === before.value && actions.length === 0) return { state, effects: [] }
  const names = actions.map(({ type }) => type)
  const columns = names.map((name) => COLUMNS.get(name)?.({ news, state, now }) ?? {})
  return {
    state: Object.assign({}, state, ...columns, { status: statusOf(next.value) }) as RefundState,
    effects: names.filter(isEffect),
  }
}

function endOf({ canceledAt, expiredAt }: RefundState): RefundContext['end'] {
  if (canceledAt !== null) return 'canceled'
  return expiredAt === null ? null : 'expired'
}

type Change = (of: {
  readonly news: RefundNews
  readonly state: RefundState
  readonly now: Date
}) => Partial<RefundState>

const NO_TRANSFER = {
  ...{
    txHash: null,
    ordinal: null,
    blockNumber: null,
    blockHash: null,
    blockTimestamp: null,
    agreedBy: null,
  },
  seenAt: null,
} as const

/** The changes to a refund's columns that each action of the machine makes. */
export const REFUND_COLUMNS = {
  fixDestination: ({ news }) => destinationOf(news),
  recordTransfer: ({ news, state, now }) => ({ ...transferOf(news), seenAt: state.seenAt ?? now }),
  clearTransfer: () => NO_TRANSFER,
  noteConfirmed: ({ news, now }) => ({ confirmedAt: now, countedAtomic: countedOf(news) }),
  noteCanceled: ({ now }) => ({ canceledAt: now }),
  noteExpired: ({ now }) => ({ expiredAt: now }),
} as const satisfies Readonly<Record<string, Change>>

const COLUMNS: ReadonlyMap<string, Change> = new Map(Object.entries(REFUND_COLUMNS))

function destinationOf(news: RefundNews): Pick<RefundState, 'destination' | 'afterBlock'> {
  invariant(news.type === 'destination.approved', `${news.type} has no destination`)
  const { destination, afterBlock } = news
  return { destination, afterBlock }
}

function transferOf(news: RefundNews): Partial<RefundTransferRow> {
  return 'transfer' in news && news.transfer !== null ? news.transfer : {}
}

function countedOf(news: RefundNews): AtomicUnits {
  invariant(news.type === 'transfer.final', `${news.type} has no counted amount`)
  return news.countedAtomic
}

function statusOf(value: unknown): RefundStatus {
  const status = REFUND_STATUSES.find((one) => one === value)
  invariant(status !== undefined, `the refund machine has no state ${String(value)}`)
  return status
}

const EFFECTS: ReadonlySet<string> = new Set(REFUND_EFFECTS)

function isEffect(action: string): action is RefundEffect {
  return EFFECTS.has(action)
}
