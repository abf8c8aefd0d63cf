import type { NodeReport, Responses } from '../../../shared/chain/nodes/node-report.ts'
import { findVerdict, type QuorumRule } from '../../../shared/chain/nodes/quorum.ts'
import type { TronOutcome } from '../../../shared/chain/tron/read-tron.ts'
import type {
  ExpiringStatus,
  UnresolvedTransactionRow,
} from '../../../shared/db/relayer/daemon/expiring-transactions.ts'

/** Behind one name several machines may respond, and the one without an outcome may lag behind the one with the head. */
const LAG_MS = 30_000
/** A solid block further ahead of our clock is an invention: it would end a transaction that may still be mined. */
const MOST_AHEAD_MS = 60_000

/** What one node has of a transaction, and up to when it could have it. */
export type SolidView = {
  /** Time of the newest solid block, read before the outcome; Unix milliseconds. */
  readonly solidMs: number
  /** `null` if no solid block has the transaction. */
  readonly outcome: TronOutcome | null
}

/** How a transaction ends. */
export type End = { readonly to: Exclude<ExpiringStatus, 'signed'>; readonly blockNumber: number | null }

/** A transaction in no solid block, by our row. */
export type Followed = Pick<UnresolvedTransactionRow, 'validUntil' | 'isIndexed'> & {
  /** Our own clock, in Unix milliseconds. */
  readonly nowMs: number
}

type Views = Responses<SolidView>

/**
 * Decides what has become of a transaction; `null`: nothing yet. Pure.
 *
 * A transaction can be in a block whose parent is older than its expiration, so also in the first block of that time or
 * later, but in none that follows (java-tron, `Manager.validateCommon`). That it succeeded, reverted or expired needs a
 * quorum; an applied event of its split is one. While any node reports a success, no other transaction may be signed.
 */
export function decideEnd(views: Views, rule: QuorumRule, of: Followed): End | null {
  const success = views.reports.find(({ value }) => value.outcome?.isSuccess)?.value.outcome
  if (success && of.isIndexed) return { to: 'final', blockNumber: success.blockNumber }
  const verdict = findVerdict(views, rule, ({ outcome }) => describeOutcome(outcome))
  if (verdict.outcome === 'agreed') {
    const { outcome } = verdict.agreed.value
    if (outcome !== null && (outcome.isSuccess || !success))
      return { to: outcome.isSuccess ? 'final' : 'reverted', blockNumber: outcome.blockNumber }
  }
  return !success && isOver(views, rule, of) ? { to: 'expired', blockNumber: null } : null
}

/** Whether a quorum has a solid block past the expiration, and no transaction in it. */
export function isOver(views: Views, rule: QuorumRule, { validUntil, nowMs }: Followed): boolean {
  const isPast = ({ value: { solidMs, outcome } }: NodeReport<SolidView>) =>
    outcome === null && solidMs >= validUntil.getTime() + LAG_MS && solidMs <= nowMs + MOST_AHEAD_MS
  const past = { reports: views.reports.filter(isPast), silent: views.silent }
  return findVerdict(past, rule, () => 'past').outcome === 'agreed'
}

function describeOutcome(outcome: TronOutcome | null): string {
  return outcome === null ? 'none' : `${outcome.isSuccess}/${outcome.blockNumber}`
}
