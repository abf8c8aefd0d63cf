import { markQuiet } from '../../shared/db/chain-facts/deployments.ts'
import type { Db } from '../../shared/db/connect.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { NodeHead } from '../transport/node-heads.ts'

/**
 * Writes down that a chain itself has stopped: the highest head of the nodes that answer is the very one our feed has
 * applied, and that block is older than the bound. Only then may wall time expire a charge (decisions 3.4); our own lag
 * never does, nor that of one node behind another.
 */
export async function noticeQuiet(
  highest: NodeHead,
  deps: { readonly db: Db; readonly chainId: number; readonly silentMs: number; readonly now: Clock },
): Promise<void> {
  if (deps.now().getTime() - highest.timestampMs < deps.silentMs) return
  await markQuiet(deps.db, { chainId: deps.chainId, headNumber: highest.number })
}
