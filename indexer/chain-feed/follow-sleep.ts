import type { SleepState } from '../../shared/db/chain-facts/daemon/sleeping.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import { dropRetiredFeeds, wakeFeed } from './wake-feed.ts'

type Deps = {
  readonly sql: Sql
  readonly deployment: DeploymentConfig
  readonly log: Logger
  /** Reads the network from this block on, until Ponder has caught up. */
  readonly watch: (startBlock: number) => void
  /** Stops the feed and publishes the network's pairs. A charge that accepts one of them wakes the network. */
  readonly rest: () => Promise<void>
}

/**
 * Stops the feed of a sleeping network, and wakes the network if requested.
 *
 * @returns whether the network is awake
 */
export async function followSleep(
  { isAsleep, isWakeRequested }: SleepState,
  { sql, deployment, log, watch, rest }: Deps,
): Promise<boolean> {
  if (!isAsleep) return true
  await rest()
  if (!isWakeRequested) return false
  const { chainId } = deployment
  const startBlock = await wakeFeed(sql, deployment)
  if (startBlock === null) return true
  log.info({ msg: 'A network wakes', chain_id: chainId, from_block: startBlock })
  watch(startBlock)
  void dropRetiredFeeds(sql, chainId).catch((error: unknown) => {
    log.warn({ msg: 'Could not drop the tables of an earlier generation', chain_id: chainId, error })
  })
  return true
}
