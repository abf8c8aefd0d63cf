import type { InvariantContext } from './invariant-context.ts'
import { ORGANIZATIONS } from './world.ts'

type Told = {
  readonly id: string
  readonly seq: number | null
  readonly chargeId: string | null
  readonly organizationId: string | null
}

type Said = { readonly type: string; readonly data: string }

/**
 * Invariants 4 and 7, at all times: every attempt sends the event with the same bytes, first attempts of a charge's
 * events are in order, and no endpoint receives another organization's event.
 */
export async function findWrongTelling({ database, history }: InvariantContext): Promise<readonly string[]> {
  const events = await database.sql<(Told & Said & { number: number })[]>`
    select id, seq, number, type, data, charge_id, organization_id from events`
  const eventOf = new Map(events.map((event) => [event.id, event]))
  const bodies = new Map<string, string>()
  const lastFirst = new Map<string, number>()
  const problems: string[] = []
  for (const { url, eventId, body } of history.receivers.attempts()) {
    const event = eventOf.get(eventId)
    if (event === undefined) {
      problems.push(`${url} was sent ${eventId}, which is not an event`)
      continue
    }
    const owner = ORGANIZATIONS.find((each) => each.url === url)
    if (event.organizationId !== owner?.id)
      problems.push(`${url} was sent ${eventId} of ${event.organizationId}`)
    const place = `${url} ${eventId}`
    const before = bodies.get(place)
    if (before === undefined && !isOf(body, event)) problems.push(`${url} was sent ${body} as ${eventId}`)
    if (before !== undefined && before !== body)
      problems.push(`${eventId} was sent with different bytes than before`)
    if (before === undefined && event.chargeId !== null) {
      const thread = `${url} ${event.chargeId}`
      if ((lastFirst.get(thread) ?? 0) > event.number)
        problems.push(`${eventId} was first sent after a later event of its charge`)
      lastFirst.set(thread, Math.max(event.number, lastFirst.get(thread) ?? 0))
    }
    bodies.set(place, body)
  }
  return problems
}

/** Whether the sent body contains the event's type and data, byte for byte. */
function isOf(body: string, { type, data }: Said): boolean {
  return body.includes(`"event":"${type}"`) && body.endsWith(`"data":${data}}`)
}

/**
 * Invariant 4, at rest: no delivery is pending, every event has a sequence number, and every event about payments or
 * webhooks has reached its endpoint, unless five attempts have failed.
 */
export async function findMissingTelling({
  database,
  history,
}: InvariantContext): Promise<readonly string[]> {
  const received = new Set(history.receivers.received().map(({ url, eventId }) => `${url} ${eventId}`))
  const events = await database.sql<Told[]>`
    select id, seq, charge_id, organization_id from events
    where organization_id is not null and category in ('payments', 'webhooks')`
  const failed = await database.sql<{ place: string }[]>`
    select w.url || ' ' || e.id as place from deliveries d
    join webhooks w on w.id = d.webhook_id join events e on e.number = d.event_number
    where d.status = 'failed' and d.attempts >= 5`
  const excused = new Set(failed.map(({ place }) => place))
  const pending = await database.sql<
    { publicId: string }[]
  >`select public_id from deliveries where status = 'pending'`
  const unnumbered = await database.sql<{ id: string }[]>`select id from events where seq is null`
  return [
    ...events.flatMap(({ id, organizationId }) => {
      const url = ORGANIZATIONS.find((each) => each.id === organizationId)?.url ?? ''
      return received.has(`${url} ${id}`) || excused.has(`${url} ${id}`)
        ? []
        : [`${id} has not reached ${url}`]
    }),
    ...pending.map(({ publicId }) => `${publicId} is still pending`),
    ...unnumbered.map(({ id }) => `${id} has no number`),
  ]
}
