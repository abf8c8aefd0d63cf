import { getFeedWatermark, lockFeedWatermark } from '../../shared/db/chain-facts/daemon/deployments.ts'
import { listRetiredSchemas, retireOtherFeeds } from '../../shared/db/chain-facts/daemon/feeds.ts'
import { dropPonderSchema } from '../../shared/db/chain-facts/daemon/ponder-maintenance.ts'
import { endSleep, readSleepState } from '../../shared/db/chain-facts/daemon/sleeping.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import { insertGeneration } from './generation.ts'
import { listEmitters } from './watched-deployment.ts'

type Deployment = Pick<DeploymentConfig, 'chainId' | 'network' | 'environment' | 'tokens' | 'finalityBlocks'>

/**
 * Ends the sleep of a network, and inserts a new generation of the feed, in one transaction.
 *
 * The generation starts `finalityBlocks` below the last head at which nothing had to be watched. Every later charge is
 * paid above that block, even after a reorganization. Ponder never reads the earlier blocks of the sleep; comparisons
 * of old charges find payments in them (decisions 9.3).
 *
 * An earlier build that ran during the sleep might have applied later blocks. The generation then starts at the
 * watermark.
 *
 * @returns the first block of the new generation; `null` if the network does not sleep
 */
export async function wakeFeed(sql: Sql, deployment: Deployment): Promise<number | null> {
  const { chainId, network, environment, finalityBlocks } = deployment
  return inTransaction(sql, async (db) => {
    await lockFeedWatermark(db, chainId)
    const { isAsleep, sleepHeadNumber } = await readSleepState(db, chainId)
    if (!isAsleep) return null
    const { watermarkNumber } = await getFeedWatermark(db, chainId)
    const startBlock = Math.max(watermarkNumber, (sleepHeadNumber ?? 0) - finalityBlocks)
    const spec = { chainId, network, environment, emitters: listEmitters(deployment) }
    const { ponderSchema } = await insertGeneration(db, spec, startBlock)
    await retireOtherFeeds(db, { chainId, ponderSchema })
    await endSleep(db, { chainId, startBlock })
    return startBlock
  })
}

/**
 * Drops the tables of generations that were retired more than an hour ago. Every wake retires a generation.
 *
 * @throws {AggregateError} if tables could not be dropped, for example because a session uses them; the next wake
 * retries
 */
export async function dropRetiredFeeds(sql: Sql, chainId: number): Promise<void> {
  const failures: unknown[] = []
  for (const schema of await listRetiredSchemas(sql, chainId))
    await inTransaction(sql, (db) => dropPonderSchema(db, schema)).catch((error: unknown) =>
      failures.push(error),
    )
  if (failures.length > 0) throw new AggregateError(failures, 'could not drop every schema')
}
