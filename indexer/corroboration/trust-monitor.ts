import { listNodeTrusts } from '../../shared/db/chain-facts/daemon/node-trusts.ts'
import type { Db } from '../../shared/db/connect.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { createLoop } from '../../shared/runtime/poll-loop.ts'

/** Poll interval: the maximum delay before an order takes effect or ends. */
const INTERVAL_MS = 2_000

/**
 * Creates the monitor of operators' orders that let one node of a chain decide without a quorum (`npm run networks --
 * trust`).
 * The database's clock determines when an order ends.
 */
export function createTrustWatch({ sql, log }: { readonly sql: Db; readonly log: Logger }) {
  let trusted: ReadonlyMap<number, string> = new Map()
  return {
    loop: createLoop({ name: 'trusted nodes', intervalMs: INTERVAL_MS, turn, log }),
    /** Returns the name of the chain's trusted node; `null` while no order is in force. */
    getTrusted: (chainId: number) => trusted.get(chainId) ?? null,
  }

  async function turn(): Promise<'idle'> {
    const orders = await listNodeTrusts(sql)
    for (const { chainId, node, reason, endsAt } of orders)
      if (trusted.get(chainId) !== node)
        log.warn({
          msg: 'One node decides without a quorum, by an operator’s order',
          ...{ chain_id: chainId, node, reason, ends_at: endsAt },
        })
    trusted = new Map(orders.map(({ chainId, node }) => [chainId, node]))
    return 'idle'
  }
}
