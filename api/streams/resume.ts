import type { Context } from 'koa'
import type { Sql } from '../../shared/db/connect.ts'
import { isResumable } from '../../shared/db/events/api/events-read.ts'
import type { StreamIds } from './stream-ids.ts'

/**
 * Answers the number of the event after which a client wants to go on, or `null` to start anew: it named none, or what
 * followed lies more than 24 hours back.
 *
 * An id that is none of ours starts anew too: it may be older than a secret or than the form of ids, and its reader,
 * often a browser's, could do nothing about an error.
 */
export async function findResumption(
  { sql, ids }: { readonly sql: Sql; readonly ids: StreamIds },
  ctx: Context,
): Promise<number | null> {
  const seq = ids.findEvent(ctx.get('last-event-id'))
  return seq !== null && (await isResumable(sql, seq)) ? seq : null
}
