import { findFeedPosition, setFeedAhead } from '../../shared/db/chain-facts/daemon/feed-repairs.ts'
import type { Db } from '../../shared/db/connect.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import type { FeedMetrics } from './feed-metrics.ts'

type Deps = {
  readonly sql: Db
  readonly deployment: Pick<DeploymentConfig, 'chainId' | 'network' | 'environment'>
  readonly log: Logger
  readonly metrics: Pick<FeedMetrics, 'setAboveChain'>
}

/**
 * Creates the check that detects a feed above every block of its chain. A node of the wrong chain can cause this.
 * Ponder then waits for blocks that are years away, and no payment is detected.
 *
 * The feed is also above its chain if all nodes lose more blocks than the finality depth. It then recovers without
 * intervention.
 */
export function createFeedPositionCheck({ sql, deployment, log, metrics }: Deps) {
  const { chainId, network, environment } = deployment
  let isAbove = false

  return {
    judge,
    /** Returns whether the feed is above its chain. The network's pairs must not be published then. */
    isAbove: () => isAbove,
  }

  /**
   * Compares the feed with the head that a quorum of nodes has reached. Logs one alert per change. Records a change
   * according to the database, because an earlier daemon might have recorded the opposite.
   */
  async function judge(headNumber: number): Promise<void> {
    const bounds = await findFeedPosition(sql, chainId)
    const wasAbove = isAbove
    isAbove = bounds.highest > headNumber
    metrics.setAboveChain(chainId, isAbove)
    if (isAbove !== wasAbove) logChange({ feed_block: bounds.highest, node_head: headNumber })
    if (isAbove !== bounds.isRecordedAhead) await setFeedAhead(sql, chainId, isAbove)
  }

  function logChange(blocks: { readonly feed_block: number; readonly node_head: number }): void {
    const fields = { chain_id: chainId, ...blocks }
    if (!isAbove) log.info({ msg: 'Feed is no longer ahead of its chain', ...fields })
    else
      log.error({
        msg: 'Feed is ahead of its chain; pairs are disabled until it is repaired',
        ...fields,
        command: `npm run networks -- repair ${network} --env ${environment}`,
      })
  }
}
