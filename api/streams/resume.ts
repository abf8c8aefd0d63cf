import type { Context } from 'koa'
import type { Sql } from '../../shared/db/connect.ts'
import { isResumable } from '../../shared/db/events/api/events-read.ts'
import type { StreamIds } from './stream-ids.ts'

/**
 * Returns the event number to resume after, or `null` to start with new events: if the client sent no id, if the next
 * event is more than 24 hours old, or if the id is unknown. An unknown id is not an error, because it might predate the
 * current secret or id format, and the client, often a browser, cannot react to an error.
 */
export async function findResumePosition(
  { sql, ids }: { readonly sql: Sql; readonly ids: StreamIds },
  ctx: Context,
): Promise<number | null> {
  const seq = ids.findEvent(ctx.get('last-event-id'))
  return seq !== null && (await isResumable(sql, seq)) ? seq : null
}
