import type { Db, Sql } from '../../shared/db/connect.ts'
import {
  type DuePayoutRow,
  hasDuePayouts,
  lockDuePayouts,
} from '../../shared/db/payouts/daemon/due-payouts.ts'
import { endLeases, type PayoutRow } from '../../shared/db/payouts/payouts.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import type { AttoDollars } from '../../shared/domain/money.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { movePayout } from './move-payout.ts'

/** What our worker claims, and for how long. */
export type ClaimTerms = {
  /** How long an attempt belongs to the worker that claimed it; above the longest silence of the nodes. */
  readonly leaseSeconds: number
  /** Late and underpaid sums below it wait for more. */
  readonly minimumAtto: AttoDollars
}

type Deps = {
  readonly sql: Sql
  readonly chainId: number
  readonly terms: ClaimTerms
  readonly clock: Clock
  readonly log: Logger
}

export type PayoutClaims = ReturnType<typeof createPayoutClaims>

type Claim = { readonly claimed: readonly DuePayoutRow[]; readonly isMore: boolean }

/**
 * Makes what claims the due payouts of one chain for one worker, whose turns do not overlap.
 *
 * It remembers each lease until its attempt ends, so that one that the worker's own trouble broke off can be ended by
 * it; the lease of a worker that was killed runs out.
 */
export function createPayoutClaims(deps: Deps) {
  const { sql, chainId, clock } = deps
  const open = new Map<number, Date>()
  /** Whose payout was claimed last; claims of this worker do not overlap. */
  let served = ''

  return {
    /** Tells, without a lock, whether anything can be claimed now. */
    areDue: () => hasDuePayouts(sql, { chainId, now: clock() }),
    /** Claims so many at most, organization by organization: the one that had the last turn waits for the others. */
    claim: (limit: number) => inTransaction(sql, (db) => claimDue(db, limit)),
    /** The attempt at this payout has ended in order. */
    end: ({ id }: { readonly id: number }) => open.delete(id),
    endBroken,
  }

  async function claimDue(db: Db, limit: number): Promise<Claim> {
    const { minimumAtto } = deps.terms
    const query = { chainId, now: clock(), minimumAtto, limit, afterOrganization: served }
    const due = await lockDuePayouts(db, query)
    served = due.at(-1)?.organizationId ?? served
    const claimed: DuePayoutRow[] = []
    for (const payout of due) {
      if (payout.isDust) await movePayout(db, payout, { news: { type: 'dust.found' }, now: clock() })
      else claimed.push(await take(deps, db, payout))
    }
    // Before the commit, whose answer may be lost.
    for (const { id, lockedUntil } of claimed) if (lockedUntil !== null) open.set(id, lockedUntil)
    // Fewer than asked for says nothing: each organization has its share, even if another does not use its own up.
    return { claimed, isMore: due.length > 0 }
  }

  /** Ends the leases of attempts that never ended: their payouts are due now, as the same attempts. */
  async function endBroken(): Promise<void> {
    if (open.size === 0) return
    const leases = Array.from(open, ([id, lockedUntil]) => ({ id, lockedUntil }))
    await endLeases(sql, leases)
    open.clear()
  }
}

/** A new attempt of a pending payout, or the same attempt of one whose lease is over. */
async function take({ terms, clock, log }: Deps, db: Db, payout: DuePayoutRow): Promise<DuePayoutRow> {
  const { leaseSeconds } = terms
  const now = clock()
  if (payout.status === 'pending') {
    const decision = await movePayout(db, payout, { news: { type: 'worker.claimed', leaseSeconds }, now })
    log.info({ msg: 'Claimed a payout', ...fieldsOf(decision.payout) })
    return { ...decision.payout, attemptTransaction: null }
  }
  return (await movePayout(db, payout, { news: { type: 'worker.resumed', leaseSeconds }, now })).payout
}

/** What the log says of a payout. */
export function fieldsOf({ id, chargeId, chainId, token, attempts, owedAtomic }: PayoutRow) {
  return { payout_id: id, charge_id: chargeId, chain_id: chainId, token, attempts, owed_atomic: owedAtomic }
}
