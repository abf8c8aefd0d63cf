import type { NodeReport, Responses } from '../../../shared/chain/nodes/node-report.ts'
import { findVerdict, type QuorumRule } from '../../../shared/chain/nodes/quorum.ts'
import type { TronOutcome } from '../../../shared/chain/tron/read-tron.ts'
import type {
  ExpiringStatus,
  UnresolvedTransactionRow,
} from '../../../shared/db/relayer/daemon/expiring-transactions.ts'

/**
 * Allowance for lag: several machines might respond under one node's name, and the machine that reports the outcome
 * might lag behind the machine that reported the head.
 */
const LAG_MS = 30_000
/**
 * Maximum lead of a solidified block over our clock. A block with a later time must be forged, and would mark as
 * expired a transaction that can still be mined.
 */
const MAX_AHEAD_MS = 60_000

/** One node's report about a transaction, and the time up to which the report is valid. */
export type SolidifiedView = {
  /** Time of the newest solidified block, read before the outcome; Unix milliseconds. */
  readonly solidMs: number
  /** `null` if no solidified block contains the transaction. */
  readonly outcome: TronOutcome | null
}

export type Outcome = { readonly to: Exclude<ExpiringStatus, 'signed'>; readonly blockNumber: number | null }

/** A transaction that no solidified block contains yet, according to our row. */
export type TrackedTransaction = Pick<UnresolvedTransactionRow, 'validUntil' | 'isIndexed'> & {
  /** Our own clock, in Unix milliseconds. */
  readonly nowMs: number
}

type Views = Responses<SolidifiedView>

/**
 * Decides the final state of a transaction; `null` if it stays unresolved. Pure.
 *
 * A block can contain a transaction only if the block's parent is older than the transaction's expiration. The first
 * block at or after the expiration can therefore contain the transaction, but no later block can (java-tron,
 * `Manager.validateCommon`). Success, revert and expiry each require a quorum, with one exception: for a success, one
 * node's report is enough if an event of the split has been applied. While any node reports a success, the transaction
 * is neither reverted nor expired, so no other transaction is signed.
 */
export function decideOutcome(views: Views, rule: QuorumRule, of: TrackedTransaction): Outcome | null {
  const success = views.reports.find(({ value }) => value.outcome?.isSuccess)?.value.outcome
  if (success && of.isIndexed) return { to: 'final', blockNumber: success.blockNumber }
  const verdict = findVerdict(views, rule, ({ outcome }) => describeOutcome(outcome))
  if (verdict.outcome === 'agreed') {
    const { outcome } = verdict.agreed.value
    if (outcome !== null && (outcome.isSuccess || !success))
      return { to: outcome.isSuccess ? 'final' : 'reverted', blockNumber: outcome.blockNumber }
  }
  return !success && isResolved(views, rule, of) ? { to: 'expired', blockNumber: null } : null
}

/**
 * Returns whether a quorum has a solidified block at least `LAG_MS` past the expiration, and no solidified block that
 * contains the transaction.
 */
export function isResolved(
  views: Views,
  rule: QuorumRule,
  { validUntil, nowMs }: TrackedTransaction,
): boolean {
  const isPast = ({ value: { solidMs, outcome } }: NodeReport<SolidifiedView>) =>
    outcome === null && solidMs >= validUntil.getTime() + LAG_MS && solidMs <= nowMs + MAX_AHEAD_MS
  const past = { reports: views.reports.filter(isPast), silent: views.silent }
  return findVerdict(past, rule, () => 'past').outcome === 'agreed'
}

function describeOutcome(outcome: TronOutcome | null): string {
  return outcome === null ? 'none' : `${outcome.isSuccess}/${outcome.blockNumber}`
}
