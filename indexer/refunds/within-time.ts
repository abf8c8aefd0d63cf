import { AppError } from '../../shared/domain/errors.ts'

/** Maximum duration of a query, below the 8 s after which the request worker reports a timeout. */
const MAX_MS = 7_000

/**
 * Waits for a query of a chain and returns its result. A result that took longer than `maxMs` (7 s) is rejected: the
 * API might already have reported a timeout, and after that the request must have no effect. The request keeps its slot
 * until the query ends, so that the slots limit the requests to the nodes (`request-worker.ts`).
 *
 * @throws {AppError} `rpc_unavailable` if the query took longer
 */
export async function withinTime<Result>(query: Promise<Result>, maxMs = MAX_MS): Promise<Result> {
  const startedAt = performance.now()
  const result = await query
  if (performance.now() - startedAt <= maxMs) return result
  throw new AppError('rpc_unavailable', 'the network did not respond in time; try again')
}
