import type { Db } from '../../connect.ts'
import { isUrgent } from './urgent-charges.ts'

/** A charge that is due to leave the range scans. */
export type LeavingCharge = {
  readonly id: string
  readonly activeAt: Date
  /** `activeAt` as PostgreSQL text, because a `Date` would lose the microseconds. */
  readonly position: string
  /** Whether the charge accepts the chain. */
  readonly isOfChain: boolean
  readonly isUrgent: boolean
}

/** Lists charges of any chain, after the stored position, whose last activity was not later than `until`. */
export async function listLeavingCharges(
  db: Db,
  query: { readonly chainId: number; readonly until: Date; readonly limit: number },
): Promise<readonly LeavingCharge[]> {
  const { chainId, until, limit } = query
  return db<LeavingCharge[]>`
    select c.id, c.last_activity_at as active_at, c.last_activity_at::text as position,
      ${chainId} = any (c.accepted_chains) as is_of_chain, ${isUrgent(db)} as is_urgent
    from reconciliations r cross join lateral (
      select * from charges o
      where (o.last_activity_at, o.id) > (r.enrolled_at, r.enrolled_id) and o.last_activity_at <= ${until}
      order by o.last_activity_at, o.id limit ${limit}
    ) c
    where r.chain_id = ${chainId} order by c.last_activity_at, c.id`
}

/** Time of a charge's first comparison, or of its first comparison after new activity. */
export type FirstComparison = { readonly chargeId: string; readonly dueAt: Date; readonly span: number }

/**
 * Inserts the comparisons of charges that leave the range scans, and records the last charge as the position. If a
 * charge already has a comparison, because it had new activity, the earlier of the two times applies. A comparison in a
 * batch does not change.
 */
export async function enrolForComparison(
  db: Db,
  { chainId, last }: { readonly chainId: number; readonly last: Pick<LeavingCharge, 'id' | 'position'> },
  firsts: readonly FirstComparison[],
): Promise<void> {
  await db`
    insert into charge_comparisons as k (charge_id, chain_id, due_at, next_at, span)
    select f."chargeId", ${chainId}, f."dueAt", f."dueAt", f.span
    from jsonb_to_recordset(${db.json(firsts as never)}) as f ("chargeId" text, "dueAt" timestamptz, span int2)
    on conflict (charge_id, chain_id) do update set
      due_at = least(k.due_at, excluded.due_at), next_at = least(k.next_at, excluded.next_at), span = excluded.span
    where k.batch_id is null`
  await db`
    update reconciliations set enrolled_at = ${last.position}::timestamptz, enrolled_id = ${last.id}
    where chain_id = ${chainId} and (enrolled_at, enrolled_id) < (${last.position}::timestamptz, ${last.id})`
}
