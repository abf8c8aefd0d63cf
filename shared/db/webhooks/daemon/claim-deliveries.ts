import { invariant } from '../../../domain/errors.ts'
import type { Db } from '../../connect.ts'
import { type DeliveryRow, progressColumns } from './deliveries.ts'
import type { SealedSecrets } from './webhook-secrets.ts'

/** A delivery that this daemon must attempt now, with the data that the attempt needs. */
export type ClaimedDelivery = Omit<DeliveryRow, 'organizationId' | 'environment' | 'chargeId'> &
  Omit<SealedSecrets, 'id'> & {
    readonly publicId: string
    readonly oldSecretUntil: Date | null
    readonly eventId: string
    readonly eventCreatedAt: Date
    /** JSON text. */
    readonly data: string
    /** End of the lease. The lease is valid while the row has this value. */
    readonly leasedUntil: Date
  }

/**
 * Leases due deliveries, up to the given number per endpoint, longest due first. Skips rows that another session has
 * locked, deliveries that must wait until an earlier event of their charge was attempted once, and deliveries of
 * deleted webhooks.
 *
 * Holds row locks only during the statement. Afterwards, the lease determines the owner.
 */
export async function claimDeliveries(
  db: Db,
  claim: {
    slots: readonly { readonly webhookId: string; readonly slots: number }[]
    now: Date
    leasedUntil: Date
  },
): Promise<readonly ClaimedDelivery[]> {
  // Uses an array of ids, which the planner assumes to be short. With a join, the planner estimated the effect of the
  // limit per endpoint from the whole backlog, and with one dead endpoint it read all deliveries and all events.
  const rows = await db<ClaimedRow[]>`
    with leased as (
      update deliveries d set leased_until = ${claim.leasedUntil}
      where d.id = any (array(
        select p.id
        from jsonb_to_recordset(${db.json(claim.slots as never)}) as s ("webhookId" text, slots int)
        join webhooks w on w.id = s."webhookId" and w.deleted_at is null
        cross join lateral (
          select d.id from deliveries d
          where d.webhook_id = s."webhookId" and d.status = 'pending' and d.next_attempt_at <= ${claim.now}
            and (d.leased_until is null or d.leased_until <= ${claim.now})
            and (d.first_attempted_at is not null or not exists (
              select from deliveries o
              where o.webhook_id = d.webhook_id and o.charge_id = d.charge_id and o.event_number < d.event_number
                and o.status = 'pending' and o.first_attempted_at is null))
          order by d.next_attempt_at, d.id
          limit s.slots
          for no key update skip locked) p))
      returning d.id, d.public_id, d.webhook_id, d.event_number, d.leased_until, ${progressColumns(db, 'd')}
    )
    select l.id, l.public_id, l.webhook_id, w.url, w.secret_sealed, w.old_secret_sealed, w.old_secret_until,
      e.id as event_id, e.category, e.type, e.created_at as event_created_at, l.leased_until,
      case when row_number() over (partition by e.number order by l.next_attempt_at, l.id) = 1 then e.data end as data,
      ${progressColumns(db, 'l')}
    from leased l
    join webhooks w on w.id = l.webhook_id
    join events e on e.number = l.event_number
    order by l.next_attempt_at, l.id`
  return withData(rows)
}

/**
 * A claimed delivery as the query returns it. The data of an event is returned only with the first of its deliveries,
 * because an organization can have many endpoints.
 */
type ClaimedRow = Omit<ClaimedDelivery, 'data'> & { readonly data: string | null }

function withData(rows: readonly ClaimedRow[]): readonly ClaimedDelivery[] {
  const known = new Map<string, string>()
  return rows.map((row) => {
    const data = row.data ?? known.get(row.eventId)
    invariant(data !== undefined, `the data of ${row.eventId} did not come with its first delivery`)
    known.set(row.eventId, data)
    return { ...row, data }
  })
}

/** Releases leases under which no attempt has started. Ignores leases that the row no longer has. */
export async function releaseDeliveries(
  db: Db,
  leases: readonly Pick<ClaimedDelivery, 'id' | 'leasedUntil'>[],
): Promise<void> {
  const given = leases.map(({ id, leasedUntil }) => ({ id, leasedUntil }))
  await db`
    update deliveries d set leased_until = null
    from jsonb_to_recordset(${db.json(given as never)}) as l (id int8, "leasedUntil" timestamptz)
    where d.id = l.id and d.status = 'pending' and d.leased_until = l."leasedUntil"`
}
