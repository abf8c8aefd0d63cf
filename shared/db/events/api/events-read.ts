import type { EventCategory } from '../../../domain/event.ts'
import type { Environment } from '../../../domain/networks.ts'
import type { Db } from '../../connect.ts'

/** A numbered event, as far as streams of charges need it. */
export type SequencedEvent = {
  readonly seq: number
  readonly category: EventCategory
  readonly environment: Environment
  readonly chargeId: string | null
  /** The JSON that is sent; only of distribution events, `null` of others. */
  readonly data: string | null
}

/** An event of the keeper feed: what is sent, and its number. */
export type DistributionEvent = { readonly seq: number; readonly data: string }

/** Answers the highest number given to an event; 0 before the first. */
export async function findLastSeq(db: Db): Promise<number> {
  const [counter] = await db<[{ lastSeq: number }]>`select last_seq from event_counter`
  return counter.lastSeq
}

/** Lists events in the order of their numbers, after `seq`. */
export async function listEventsAfter(
  db: Db,
  input: { seq: number; limit: number },
): Promise<readonly SequencedEvent[]> {
  return await db<SequencedEvent[]>`
    select seq, category, environment, charge_id, case when category = 'distributions' then data end as data
    from events where seq > ${input.seq} order by seq limit ${input.limit}`
}

/**
 * Lists the keeper feed's first events with `after` < seq ≤ `upTo` of an environment, in order, none older than 24 hours.
 *
 * Reads every event in that range: the caller keeps it narrow.
 *
 * @see decisions 3.12
 */
export async function listDistributionEvents(
  db: Db,
  input: { after: number; upTo: number; limit: number; environment: Environment },
): Promise<readonly DistributionEvent[]> {
  return await db<DistributionEvent[]>`
    select seq, data from events
    where seq > ${input.after} and seq <= ${input.upTo} and category = 'distributions'
      and environment = ${input.environment} and created_at > now() - interval '24 hours'
    order by seq limit ${input.limit}`
}

/**
 * Tells whether nothing that came after this event is older than 24 hours, so that a stream may resume after it.
 *
 * The numbers have no gap: where the next one is missing, it is still to come, or was deleted.
 *
 * @param seq - 0 is before the first event
 * @see decisions 3.12
 */
export async function isResumable(db: Db, seq: number): Promise<boolean> {
  const [row] = await db<[{ isResumable: boolean }]>`
    select last_seq = ${seq} or exists (
        select from events where seq = ${seq + 1} and created_at > now() - interval '24 hours') as is_resumable
    from event_counter`
  return row.isResumable
}
