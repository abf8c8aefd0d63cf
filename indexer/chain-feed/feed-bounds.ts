import { readFeedBounds, setFeedAbove } from '../../shared/db/chain-facts/daemon/feed-mends.ts'
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
 * Makes what notices a feed that begins or stands above every block of its chain, as one does that a node of another
 * chain once led: Ponder waits for blocks that are years away, and nothing that is paid is seen.
 *
 * Nodes that have all lost more than the finality depth look alike. Then too nothing is seen, and it ends by itself.
 */
export function createFeedBounds({ sql, deployment, log, metrics }: Deps) {
  const { chainId, network, environment } = deployment
  let isAbove = false

  return {
    judge,
    /** While it is, the network's pairs must not be offered. */
    isAbove: () => isAbove,
  }

  /** Compares the feed with the head that a quorum of nodes has reached; one alert for each change. */
  async function judge(headNumber: number): Promise<void> {
    const bounds = await readFeedBounds(sql, chainId)
    const wasAbove = isAbove
    isAbove = bounds.highest > headNumber
    metrics.setAboveChain(chainId, isAbove)
    if (isAbove === wasAbove) return
    await setFeedAbove(sql, chainId, isAbove)
    const fields = { chain_id: chainId, feed_block: bounds.highest, node_head: headNumber }
    if (!isAbove) log.info({ msg: 'A feed is no longer above its chain', ...fields })
    else
      log.error({
        msg: 'A feed is above every block of its chain: its pairs are not offered until it is mended',
        ...fields,
        command: `npm run networks -- mend-feed ${network} --env ${environment}`,
      })
  }
}
