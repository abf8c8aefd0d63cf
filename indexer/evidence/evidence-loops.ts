import PQueue from 'p-queue'
import { createChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { NodePacers } from '../../shared/chain/pacing/node-pacers.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { countDueProofTasks } from '../../shared/db/evidence/daemon/missing-proof-tasks.ts'
import { CHAIN_FAMILIES } from '../../shared/domain/chain-families/chain-families.ts'
import { createChainLoop } from '../../shared/runtime/chain-loop.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { Metrics } from '../../shared/runtime/metrics.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import { createLoop, type Loop } from '../../shared/runtime/poll-loop.ts'
import { buildWatchedToken } from '../chain-feed/watched-deployment.ts'
import { createEvidenceMetrics } from './evidence-metrics.ts'
import { createMissingTaskSearch } from './find-missing-tasks.ts'
import { type ProofDeps, proveDue } from './prove-due.ts'
import { createReceiptProver } from './receipt-prover.ts'

type Options = {
  readonly sql: Sql
  readonly log: Logger
  readonly registry: Metrics
  readonly pacers: Pick<NodePacers, 'pacerOf'>
  readonly deployments: readonly DeploymentConfig[]
}

/**
 * Delay between the proofs of two blocks of a chain, even if more blocks are due. No payment waits for a proof, and
 * strangers who send dust in every block must not use up the nodes' request budgets, which payments also need.
 */
const INTERVAL_MS = 1_000
const MAX_COUNTED = 10_000

/**
 * Creates the loops that prove the receipts of counted transactions, soon after they count, because nodes may delete
 * old receipts. Any number of daemons may run these loops.
 *
 * All chains share one worker thread, so that at most one block is in memory. A turn claims its tasks only once the
 * thread is free.
 */
export function createEvidenceLoops({ sql, log, registry, pacers, deployments }: Options): {
  readonly loops: readonly Loop[]
  /** Ends the thread and a running proof, so that the loops stop without waiting for it. */
  readonly stop: () => Promise<void>
} {
  const chainIds = deployments.map(({ chainId }) => chainId)
  const metrics = createEvidenceMetrics(registry, {
    chainIds,
    countDue: () => countDueProofTasks(sql, { chainIds, max: MAX_COUNTED }),
  })
  const prover = createReceiptProver(pacers)
  const thread = new PQueue({ concurrency: 1 })
  const deps: ProofDeps = { sql, log, metrics, prover }
  const proving = deployments.map((deployment) => createProvingLoop({ deps, thread }, deployment))
  const search = createMissingTaskSearch(sql, chainIds)
  const searching = createLoop({ name: 'missing proofs', intervalMs: INTERVAL_MS, log, turn: search })
  return { loops: [...proving, searching], stop: prover.stop }
}

type Shared = { readonly deps: ProofDeps; readonly thread: PQueue }

function createProvingLoop({ deps, thread }: Shared, deployment: DeploymentConfig): Loop {
  const chain = createChainNodes(deployment)
  const tokens = deployment.tokens.map(buildWatchedToken)
  const hasProofs = CHAIN_FAMILIES[deployment.family].provesReceipts
  return createChainLoop(deployment, {
    ...{ name: 'evidence', intervalMs: INTERVAL_MS, log: deps.log },
    turn: async () => {
      const outcome = await thread.add(() => proveDue(deps, { chain, tokens, hasProofs }))
      return outcome === 'more' ? 'later' : 'idle'
    },
  })
}
