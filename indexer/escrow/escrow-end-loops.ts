import { createChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { countHeldEscrowEnds } from '../../shared/db/escrow/daemon/escrow-end-checks.ts'
import { CHAIN_FAMILIES } from '../../shared/domain/chain-families/chain-families.ts'
import { createChainLoop } from '../../shared/runtime/chain-loop.ts'
import type { IndexerConfig } from '../../shared/runtime/indexer-config.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { type Metrics, registerGauge } from '../../shared/runtime/metrics.ts'
import type { Loop } from '../../shared/runtime/poll-loop.ts'
import { buildWatchedDeployment } from '../chain-feed/watched-deployment.ts'
import { createAgreedBalances } from './agreed-balances.ts'
import { createEndChecking } from './check-escrow-ends.ts'

type Deps = {
  readonly sql: Sql
  readonly config: Pick<IndexerConfig, 'deployments'>
  readonly log: Logger
  readonly registry: Metrics
  readonly onNews: () => void
}

/** Poll interval for due checks. While no check is due, no node is queried. */
const INTERVAL_MS = 1_000

/** Creates one loop per chain that supports escrow. Each loop runs `createEndChecking`. */
export function createEscrowEndLoops({ sql, config, log, registry, onNews }: Deps): readonly Loop[] {
  registerGauge(registry, 'escrow_ends_held', {
    help: 'Escrows whose releaser moved the money on chain, and whose end waits because their Safe holds more than our rows explain',
    ask: () => countHeldEscrowEnds(sql),
  })
  const deployments = config.deployments.filter(({ family }) => CHAIN_FAMILIES[family].hasEscrow)
  return deployments.map((deployment) => {
    const { confirmations, blockTimeMs } = deployment
    const chain = createChainNodes(deployment, { priority: 'confirmation' })
    const { turn } = createEndChecking({
      ...{ sql, log, onNews, deployment: buildWatchedDeployment(deployment) },
      readAgreedBalances: createAgreedBalances({ chain, confirmations, blockTimeMs }),
    })
    return createChainLoop(deployment, { name: 'escrow ends', intervalMs: INTERVAL_MS, turn, log })
  })
}
