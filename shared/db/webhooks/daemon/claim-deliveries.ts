import { invariant } from '../../../domain/errors.ts'
import type { EventCategory, EventType } from '../../../domain/event.ts'
import type { Db } from '../../connect.ts'
import type { DeliveryProgress } from './deliveries.ts'

/** A delivery that this daemon has to attempt now, with all that needs. */
export type ClaimedDelivery = DeliveryProgress & {
  readonly id: number
  readonly publicId: string
  readonly webhookId: string
  readonly url: string
  readonly secretSealed: Buffer
  readonly oldSecretSealed: Buffer | null
  readonly oldSecretUntil: Date | null
  readonly eventId: string
  readonly category: EventCategory
  readonly type: EventType
  readonly eventCreatedAt: Date
  /** JSON text. */
  readonly data: string
  /** Ours while it is what the row says. */
  readonly lockedUntil: Date
}

/**
 * Leases due deliveries, at most so many of each endpoint, those due longest first; rows locked by another are passed
 * over, and so is what must wait for an earlier event of its charge to have been attempted once. Nothing of a deleted
 * webhook, whose deliveries may not all be ended yet.
 *
 * Takes row locks for the length of the statement; from then on the lease says whose they are.
 */
export async function claimDeliveries(
  db: Db,
  claim: {
    slots: readonly { readonly webhookId: string; readonly slots: number }[]
    now: Date
    lockedUntil: Date
  },
): Promise<readonly ClaimedDelivery[]> {
  // By an array of ids, which the planner takes for short. In a join it guesses from the size of the whole backlog how
  // many a limit per endpoint leaves, and beside a dead endpoint it then read all deliveries and all events.
  const rows = await db<ClaimedRow[]>`
    with leased as (
      update deliveries d set locked_until = ${claim.lockedUntil}
      where d.id = any (array(
        select p.id
        from jsonb_to_recordset(${db.json(claim.slots as never)}) as s ("webhookId" text, slots int)
        join webhooks w on w.id = s."webhookId" and w.deleted_at is null
        cross join lateral (
          select d.id from deliveries d
          where d.webhook_id = s."webhookId" and d.status = 'pending' and d.next_attempt_at <= ${claim.now}
            and (d.locked_until is null or d.locked_until <= ${claim.now})
            and (d.first_attempted_at is not null or not exists (
              select from deliveries o
              where o.webhook_id = d.webhook_id and o.charge_id = d.charge_id and o.event_number < d.event_number
                and o.status = 'pending' and o.first_attempted_at is null))
          order by d.next_attempt_at, d.id
          limit s.slots
          for no key update skip locked) p))
      returning d.id, d.public_id, d.webhook_id, d.event_number, d.locked_until, d.status, d.attempts, d.cycle_attempts,
        d.cycle_started_at, d.next_attempt_at, d.first_attempted_at, d.response_code, d.response_excerpt, d.last_error,
        d.delivered_at, d.failed_at
    )
    select l.id, l.public_id, l.webhook_id, w.url, w.secret_sealed, w.old_secret_sealed, w.old_secret_until,
      e.id as event_id, e.category, e.type, e.created_at as event_created_at, l.locked_until, l.status,
      case when row_number() over (partition by e.number order by l.next_attempt_at, l.id) = 1 then e.data end as data,
      l.attempts, l.cycle_attempts, l.cycle_started_at, l.next_attempt_at, l.first_attempted_at, l.response_code,
      l.response_excerpt, l.last_error, l.delivered_at, l.failed_at
    from leased l
    join webhooks w on w.id = l.webhook_id
    join events e on e.number = l.event_number
    order by l.next_attempt_at, l.id`
  return withData(rows)
}

/** The data of an event come once, with the first of its deliveries: an organization may have many endpoints. */
type ClaimedRow = Omit<ClaimedDelivery, 'data'> & { readonly data: string | null }

function withData(rows: readonly ClaimedRow[]): readonly ClaimedDelivery[] {
  const known = new Map<string, string>()
  return rows.map((row) => {
    const data = row.data ?? known.get(row.eventId)
    invariant(data !== undefined, `the data of ${row.eventId} came with its first delivery`)
    known.set(row.eventId, data)
    return { ...row, data }
  })
}

/** Gives up leases under which no attempt has begun. One that is no longer the row's is left as it is. */
export async function releaseDeliveries(
  db: Db,
  leases: readonly Pick<ClaimedDelivery, 'id' | 'lockedUntil'>[],
): Promise<void> {
  const given = leases.map(({ id, lockedUntil }) => ({ id, lockedUntil }))
  await db`
    update deliveries d set locked_until = null
    from jsonb_to_recordset(${db.json(given as never)}) as l (id int8, "lockedUntil" timestamptz)
    where d.id = l.id and d.status = 'pending' and d.locked_until = l."lockedUntil"`
}
