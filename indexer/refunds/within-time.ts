import { AppError } from '../../shared/domain/errors.ts'

/** Maximum duration of a query, below the 8 s after which the worker responds without a result. */
const MAX_MS = 7_000

/**
 * Waits for a query of a chain and returns its result. A result that took longer than `maxMs` (7 s) is rejected,
 * because the API might already have responded that the network did not respond, and nothing may be recorded after
 * that. The request keeps its slot until the query ends, so that the slots limit the requests to the nodes
 * (`request-worker.ts`).
 *
 * @throws {AppError} `rpc_unavailable` if the query took longer
 */
export async function withinTime<Result>(query: Promise<Result>, maxMs = MAX_MS): Promise<Result> {
  const startedAt = performance.now()
  const result = await query
  if (performance.now() - startedAt <= maxMs) return result
  throw new AppError('rpc_unavailable', 'the network did not respond in time; try again')
}
