import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../../shared/domain/errors.ts'

/** Below the 10 s that the API waits. */
const MAX_MS = 8_000

/**
 * Waits for a query of a chain, at most 8 s, so that a chain that does not respond does not delay the requests of others.
 * After that, the query continues without this request.
 *
 * @throws {AppError} `rpc_unavailable`
 */
export async function withinTime<Result>(query: Promise<Result>): Promise<Result> {
  query.catch(() => undefined)
  const over = new AbortController()
  const late = delay(MAX_MS, null, { signal: over.signal }).then(() => {
    throw new AppError('rpc_unavailable', 'the network did not respond in time; try again')
  })
  late.catch(() => undefined)
  try {
    return await Promise.race([query, late])
  } finally {
    over.abort()
  }
}
