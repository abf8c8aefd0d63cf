import type { Db } from '../../shared/db/connect.ts'
import {
  type DuePayoutRow,
  hasDuePayouts,
  lockDuePayouts,
} from '../../shared/db/payouts/daemon/due-payouts.ts'
import { type PayoutRow, releaseLeases } from '../../shared/db/payouts/payouts.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import type { AttoDollars } from '../../shared/domain/money.ts'
import { applyPayoutUpdate } from './apply-payout-update.ts'
import type { PayoutDeps } from './chain-payer.ts'

export type ClaimOptions = {
  /** Lease of an attempt, in seconds. Must exceed the longest timeout of a node. */
  readonly leaseSeconds: number
  /** Smaller owed amounts wait until more is owed, unless the charge needs the payout to settle. */
  readonly minimumAtto: AttoDollars
}

type Deps = Pick<PayoutDeps, 'sql' | 'clock' | 'log'> & {
  readonly chainId: number
  readonly terms: ClaimOptions
}

export type PayoutClaims = ReturnType<typeof createPayoutClaims>

type Claim = { readonly claimed: readonly DuePayoutRow[]; readonly isMore: boolean }

/**
 * Creates the functions that claim the due payouts of one chain for one worker. The worker's turns must not overlap.
 *
 * The functions store each lease in memory until its attempt ends, so that a worker whose turn failed can end the
 * remaining leases. The leases of a killed worker expire.
 */
export function createPayoutClaims(deps: Deps) {
  const { sql, chainId, clock } = deps
  const open = new Map<number, Date>()
  /** Organization of the last due payout of the previous claim. */
  let served = ''

  return {
    /** Checks, without a lock, whether a payout can be claimed now. */
    areDue: () => hasDuePayouts(sql, { chainId, now: clock() }),
    /**
     * Claims at most `limit` payouts, organization by organization. The organization that was served last comes last.
     * Postpones due payouts below the minimum instead of claiming them.
     */
    claim: (limit: number) => inTransaction(sql, (db) => claimDue(db, limit)),
    /** Records that this attempt ended normally. */
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
      if (payout.isDust) await applyPayoutUpdate(db, payout, { news: { type: 'dust.found' }, now: clock() })
      else claimed.push(await take(deps, db, payout))
    }
    // Store the leases before the commit, because the response to the commit can be lost.
    for (const { id, leasedUntil } of claimed) if (leasedUntil !== null) open.set(id, leasedUntil)
    // More payouts may be due even if fewer than `limit` were found, because an organization does not get the unused
    // share of another organization.
    return { claimed, isMore: due.length > 0 }
  }

  /** Ends the leases of attempts that did not end normally. Any worker can then resume these attempts immediately. */
  async function endBroken(): Promise<void> {
    if (open.size === 0) return
    const leases = Array.from(open, ([id, leasedUntil]) => ({ id, leasedUntil }))
    await releaseLeases(sql, leases)
    open.clear()
  }
}

/** Starts an attempt of a pending payout, or resumes the attempt whose lease has expired. */
async function take({ terms, clock, log }: Deps, db: Db, payout: DuePayoutRow): Promise<DuePayoutRow> {
  const { leaseSeconds } = terms
  const now = clock()
  if (payout.status === 'pending') {
    const decision = await applyPayoutUpdate(db, payout, {
      news: { type: 'worker.claimed', leaseSeconds },
      now,
    })
    log.info({ msg: 'Claimed a payout', ...toLogFields(decision.payout) })
    return { ...decision.payout, attemptTransaction: null }
  }
  return (await applyPayoutUpdate(db, payout, { news: { type: 'worker.resumed', leaseSeconds }, now })).payout
}

export function toLogFields({ id, chargeId, chainId, token, attempts, owedAtomic }: PayoutRow) {
  return { payout_id: id, charge_id: chargeId, chain_id: chainId, token, attempts, owed_atomic: owedAtomic }
}
