import { takeUpParked } from '../../shared/db/charges/daemon/parked-charges.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { BUILD } from './build.ts'

/** An older daemon that still runs beside this one parks them again; once it has stopped, they stay taken up. */
export const TAKE_UP_MS = 600_000

/** Taken up in one turn, the longest parked first. */
const MOST_AT_ONCE = 1_000

/**
 * Makes the turn that takes up what another build has parked: it did not know what this one does, a family of chains, say.
 * What this build parks, or parks again, waits for an operator.
 */
export function createTakingUp(deps: {
  readonly sql: Sql
  readonly log: Logger
  /** Called when charges have something to do again. */
  readonly onNews: () => void
}): () => Promise<'more' | 'idle'> {
  const { sql, log, onNews } = deps
  return async () => {
    const ids = await takeUpParked(sql, { build: BUILD, limit: MOST_AT_ONCE })
    if (ids.length === 0) return 'idle'
    log.warn({
      msg: 'Took up charges that another build has parked',
      count: ids.length,
      charge_ids: ids.slice(0, 20),
    })
    onNews()
    return ids.length === MOST_AT_ONCE ? 'more' : 'idle'
  }
}
