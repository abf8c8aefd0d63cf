import type { EventCategory, EventType } from '../../../domain/event.ts'
import type { Environment } from '../../../domain/networks.ts'
import type { Db } from '../../connect.ts'
import { insertDeliveries } from './insert-deliveries.ts'

export type NewEvent = {
  /**
   * `evt_…`; `null` for a public event of a charge, whose id is derived from the charge, the type, and the number of
   * earlier events of that type. The caller must hold the charge's lock, and may append only one event of a type per
   * call.
   */
  readonly id: string | null
  readonly category: EventCategory
  readonly type: EventType
  /** The organization that may read the event; `null` if keepers of every organization may. */
  readonly organizationId: string | null
  readonly environment: Environment
  /** The charge; `null` for an event about an endpoint. */
  readonly chargeId: string | null
  /** JSON text that never changes again. */
  readonly data: string
  readonly createdAt: Date
  /** The `Request-Id` of the request that caused the event, if any. */
  readonly apiRequestId?: string | null
}

/** Maximum events numbered in one turn of the sequencer. */
const SEQUENCE_BATCH = 1_000

/**
 * Appends events in the given order, with a delivery for each webhook that receives them, in the caller's transaction.
 *
 * Only this statement and `create_charges` insert events.
 */
export async function appendEvents(db: Db, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  await db`
    with inserted as (
      insert into events as i
        (id, category, type, organization_id, environment, charge_id, data, created_at, api_request_id)
      select coalesce(e.id, charge_event_id(e."chargeId", e.type, (
          select count(*) from events o where o.charge_id = e."chargeId" and o.type = e.type))),
        e.category, e.type, e."organizationId", e.environment, e."chargeId", e.data, e."createdAt",
        e."apiRequestId"
      from jsonb_to_recordset(${db.json(events as never)}) as e (id text, category text, type text,
        "organizationId" text, environment text, "chargeId" text, data text, "createdAt" timestamptz, "apiRequestId" uuid)
      returning i as event
    )
    ${insertDeliveries(db)}`
}

/** Returns whether a committed event has no number yet. */
export async function hasUnnumberedEvents(db: Db): Promise<boolean> {
  const [waiting] = await db`select from events where seq is null order by number limit 1`
  return waiting !== undefined
}

/**
 * Assigns numbers without gaps to committed events, in their order, and notifies the streams once.
 *
 * The numbers come from a single counter row, which is locked until the end of the transaction. When two sequencers
 * kept their counters in memory, streams showed 3 and 4 before 1 and 2.
 *
 * @returns the number of events that got a number
 */
export async function sequenceEvents(db: Db): Promise<number> {
  const [counter] = await db<[{ lastSeq: number }]>`select last_seq from event_sequence for update`
  const numbered = await db`
    with next as (
      select number, ${counter.lastSeq}::int8 + row_number() over (order by number) as seq
      from (select number from events where seq is null order by number limit ${SEQUENCE_BATCH}) unsequenced
    )
    update events e set seq = next.seq from next where e.number = next.number and e.seq is null returning e.seq`
  if (numbered.length === 0) return 0
  const lastSeq = counter.lastSeq + numbered.length
  await db`update event_sequence set last_seq = ${lastSeq}`
  await db`select pg_notify('svc_events', ${String(lastSeq)})`
  return numbered.length
}
