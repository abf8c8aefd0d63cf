import { selectAgreedTime } from '../../chain-facts/daemon/agreed-heads.ts'
import { isUncorroborated } from '../../chain-facts/daemon/at-depth.ts'
import { isExpiryVerified } from '../../chain-facts/daemon/expiry-verifications.ts'
import type { Db } from '../../connect.ts'
import { isOpen } from '../../predicates.ts'

/** Seconds after a deadline at which wall time decides for a network whose nodes show no new block (decisions 3.4). */
export type ExpiryRule = { readonly silentSeconds: number }

/** Lists which of these charges may expire. One statement reads rows and heads, so they are consistent. */
export async function listPassedDeadlines(
  db: Db,
  query: { readonly chargeIds: readonly string[]; readonly rule: ExpiryRule },
): Promise<readonly string[]> {
  const rows = await db<{ chargeId: string }[]>`
    ${mayExpire(db, query.rule)} and c.id = any (${query.chargeIds})`
  return rows.map(({ chargeId }) => chargeId)
}

/**
 * Selects, as `charge_id`, the open charges that are not quarantined and may expire (decisions 3.4):
 *
 * - On every accepted network, a block with a timestamp of `expiresAt` or later is at confirmation depth according to a
 *   quorum of nodes, not only according to the feed. Every earlier transfer is then at confirmation depth as well.
 * - No transfer that was mined in time is pending or missing.
 * - If a network's nodes respond but show no new block, the time since `expiresAt` decides instead: it must be at least
 *   `silentSeconds`. An abandoned network is ignored, and so are pending transfers on it.
 * - On every network, our rows explain the balances that a quorum reported, unless an operator has ordered the charge
 *   to end (`isExpiryVerified`).
 * - After such an order, a transfer that was recorded before the order, but that no quorum has shown, does not block
 *   the end.
 *
 * `charge-turn.ts` reads the result, and `machines/charge.ts` then ends the charge as expired or underpaid.
 *
 * A network that has not even reached the earliest deadline of all open charges blocks every charge that accepts it.
 * These charges are excluded first. Otherwise a hundred thousand of them could be evaluated every second until the
 * network's nodes respond again.
 */
export function mayExpire(db: Db, rule: ExpiryRule) {
  return db`
    select c.id as charge_id from charges c
    where ${isOpen(db, db`c.status`)} and c.expires_at <= now() and c.quarantined_at is null
      and not c.accepted_chains && array(
        select d.chain_id from deployments d
        where d.abandoned_at is null and not coalesce(d.idle_at > now() - interval '2 minutes', false)
          and coalesce(${selectAgreedTime(db)}, to_timestamp(0)) < (
            select min(o.expires_at) from charges o where ${isOpen(db, db`o.status`)}))
      and not exists (
        select from transfers t left join deployments d on d.chain_id = t.chain_id
        where t.charge_id = c.id and t.accepted and t.credited_at is null and t.inclusion <> 'orphaned'
          and d.abandoned_at is null and to_timestamp(t.block_timestamp) < c.expires_at
          and not coalesce(${isUncorroborated(db, 't')} and exists (
            select from expiry_overrides o where o.charge_id = c.id and o.ordered_at >= t.detected_at), false))
      and not exists (
        select from unnest(c.accepted_chains) as a (chain_id) left join deployments d on d.chain_id = a.chain_id
        where d.abandoned_at is null
          and coalesce(${selectAgreedTime(db)} < c.expires_at, true)
          and not coalesce(d.idle_at > now() - interval '2 minutes'
            and c.expires_at + make_interval(secs => ${rule.silentSeconds}) <= now(), false))
      and ${isExpiryVerified(db, rule.silentSeconds)}`
}
