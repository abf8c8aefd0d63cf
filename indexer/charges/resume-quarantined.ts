import { releaseQuarantinedByOtherBuilds } from '../../shared/db/charges/daemon/quarantined-charges.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { BUILD_VERSION } from './build-version.ts'

/**
 * Interval between releases. They are repeated, because an older daemon that still runs in parallel may quarantine the
 * same charges again.
 */
export const QUARANTINE_RETRY_MS = 600_000

/** Maximum charges released per turn, those quarantined longest first. */
const MAX_AT_ONCE = 1_000

/**
 * Creates the turn that releases charges quarantined by another build, which might lack a feature of this build, such
 * as a chain family. Charges that this build quarantined wait for an operator.
 */
export function createQuarantineRetry(deps: {
  readonly sql: Sql
  readonly log: Logger
  /** Called when charges have work to do again. */
  readonly onNews: () => void
}): () => Promise<'more' | 'idle'> {
  const { sql, log, onNews } = deps
  return async () => {
    const ids = await releaseQuarantinedByOtherBuilds(sql, { build: BUILD_VERSION, limit: MAX_AT_ONCE })
    if (ids.length === 0) return 'idle'
    log.warn({
      msg: 'Released charges quarantined by another build',
      count: ids.length,
      charge_ids: ids.slice(0, 20),
    })
    onNews()
    return ids.length === MAX_AT_ONCE ? 'more' : 'idle'
  }
}
