import { listEmitters } from '../../indexer/chain-feed/watched-deployment.ts'
import { insertFeed } from '../../shared/db/chain-facts/daemon/feeds.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { IndexerDeployment } from '../../shared/runtime/indexer-config.ts'
import { getPonderSchema } from './engine/database.ts'
import type { PlannedSleep } from './plan-types.ts'
import { START_MS } from './world.ts'

type Terms = {
  readonly deployment: IndexerDeployment
  readonly headNumber: number
  readonly sleep: PlannedSleep | null
}

/** Inserts the feed's first generation, and lets the network sleep if the plan requires it. */
export async function prepareFeed(sql: Sql, { deployment, headNumber, sleep }: Terms): Promise<void> {
  const { chainId } = deployment
  const generation = { ponderSchema: getPonderSchema(chainId), startBlock: deployment.startBlock ?? 0 }
  await insertFeed(sql, { ...generation, chainId, emitters: listEmitters(deployment) })
  const start = new Date(START_MS)
  await sql`update feeds set created_at = ${start}`
  await sql`update deployments set watched_at = ${start} where chain_id = ${chainId}`
  if (sleep?.asleep.includes(chainId) !== true) return
  await sql`
    update deployments set asleep_since = ${start}, sleep_head_number = ${headNumber},
      max_head_number = ${headNumber}, max_head_at = ${start}, quorum_responded_at = ${start}
    where chain_id = ${chainId}`
}
