import type { Context } from 'koa'
import type { Sql } from '../../shared/db/connect.ts'
import { isResumable } from '../../shared/db/events-read.ts'
import { AppError } from '../../shared/domain/errors.ts'

/**
 * Answers the number of the event after which a client wants to go on, or `null` to start anew: it named none, or what
 * followed lies more than 24 hours back.
 *
 * @throws {AppError} `validation_error` for a `Last-Event-ID` that is no number of ours
 */
export async function findResumption(sql: Sql, ctx: Context): Promise<number | null> {
  const lastEventId = ctx.get('last-event-id')
  if (lastEventId === '') return null
  if (!/^\d{1,15}$/.test(lastEventId)) {
    throw new AppError('validation_error', 'Last-Event-ID is not the id of an event of this stream', {
      param: 'Last-Event-ID',
    })
  }
  const seq = Number(lastEventId)
  return (await isResumable(sql, seq)) ? seq : null
}
