import type { ChainClient } from '../../shared/chain/client.ts'
import type { Db } from '../../shared/db/connect.ts'
import { markQuiet } from '../../shared/db/deployments.ts'
import type { Clock } from '../../shared/runtime/clock.ts'

/**
 * Writes down that a chain itself has stopped: its node answers, with the very head our feed has applied, and that
 * block is older than the bound. Only then may wall time expire a charge (decisions 3.4); our own lag never does.
 */
export async function noticeQuiet(deps: {
  readonly db: Db
  readonly client: ChainClient
  readonly silentMs: number
  readonly now: Clock
}): Promise<void> {
  const { db, client, silentMs, now } = deps
  const head = await client.getBlock({ blockTag: 'latest' })
  if (now().getTime() - Number(head.timestamp) * 1000 < silentMs) return
  await markQuiet(db, { chainId: client.chain.id, headNumber: Number(head.number) })
}
