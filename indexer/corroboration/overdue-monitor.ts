import { listLate } from '../../shared/db/chain-facts/daemon/uncorroborated.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { Hex } from '../../shared/domain/address.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { Logger } from '../../shared/runtime/logger.ts'

const INTERVAL_MS = 10_000
/** Maximum transactions reported per check. If a feed invents more, the oldest ones raise the alert. */
const MAX_LATE = 100

type Deps = { readonly sql: Sql; readonly chainId: number; readonly now: Clock; readonly log: Logger }

/**
 * Creates the alert for rows that still wait for a quorum two minutes after they reached confirmation depth. It logs
 * each transaction once. It queries no node, so that dead, slow or contradicting nodes cannot suppress it.
 */
export function createLateWatch({ sql, chainId, now, log }: Deps): { readonly look: () => Promise<void> } {
  let reported: ReadonlySet<Hex> = new Set()
  let lookedAtMs = Number.NEGATIVE_INFINITY
  return { look }

  async function look(): Promise<void> {
    const nowMs = now().getTime()
    if (nowMs - lookedAtMs < INTERVAL_MS) return
    lookedAtMs = nowMs
    const late = await listLate(sql, { chainId, now: now(), limit: MAX_LATE })
    for (const txHash of late.filter((one) => !reported.has(one)))
      log.error({
        msg: 'A transaction still waits for a quorum two minutes after reaching depth: it does not count',
        ...{ chain_id: chainId, tx_hash: txHash },
      })
    reported = new Set(late)
  }
}
