import type { EventCategory } from '../../../domain/event.ts'
import type { Environment } from '../../../domain/networks.ts'
import type { Db } from '../../connect.ts'

/** A numbered event, with the fields that streams of charges need. */
export type SequencedEvent = {
  readonly seq: number
  readonly category: EventCategory
  readonly environment: Environment
  readonly chargeId: string | null
  /** The JSON to send; `null` except for distribution events. */
  readonly data: string | null
}

/** An event of the keeper feed: its number and the JSON to send. */
export type DistributionEvent = { readonly seq: number; readonly data: string }

/** Returns the highest event number; 0 before the first event. */
export async function findLastSeq(db: Db): Promise<number> {
  const [counter] = await db<[{ lastSeq: number }]>`select last_seq from event_sequence`
  return counter.lastSeq
}

/** Lists events after `seq`, in the order of their numbers. */
export async function listEventsAfter(
  db: Db,
  input: { seq: number; limit: number },
): Promise<readonly SequencedEvent[]> {
  return await db<SequencedEvent[]>`
    select seq, category, environment, charge_id, case when category = 'distributions' then data end as data
    from events where seq > ${input.seq} order by seq limit ${input.limit}`
}

/**
 * Lists the first events of an environment's keeper feed with `after` < seq ≤ `upTo`, at most 24 hours old, in order.
 *
 * Reads every event in that range, so the caller must keep the range small.
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
 * Returns whether every event after this one is at most 24 hours old, so that a stream can resume after it.
 *
 * The numbers have no gaps, so if the next event is missing, it was deleted or does not exist yet.
 *
 * @param seq - the number of this event; 0 stands for the position before the first event
 * @see decisions 3.12
 */
export async function isResumable(db: Db, seq: number): Promise<boolean> {
  const [row] = await db<[{ isResumable: boolean }]>`
    select last_seq = ${seq} or exists (
        select from events where seq = ${seq + 1} and created_at > now() - interval '24 hours') as is_resumable
    from event_sequence`
  return row.isResumable
}
