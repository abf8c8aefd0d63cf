import type { IndexerDeployment } from '../../shared/runtime/indexer-config.ts'
import type { Random } from '../support/seeded-random.ts'
import { LIE_KINDS } from './model/lie-kinds.ts'
import type { Plan, PlannedLoss } from './plan-types.ts'
import { withNodes } from './world.ts'

/** A chain with this number of nodes may lose one, because the other two are a quorum. */
const SPARE_NODES = 3
const SPARE_DAEMONS = 2

/**
 * Adds losses to about two fifths of all histories: each spare daemon or node is lost with a probability of two thirds.
 *
 * The loss of one of two database standbys is not simulated, because commits then wait for the other standby, and no
 * statement, row or error of the service differs.
 */
export function withLosses(random: Random, plan: Plan): Plan {
  return { ...plan, losses: drawLosses(random, plan).filter(() => random.fraction() < 2 / 3) }
}

/** Adds every loss that the service must survive: one of two daemons, and one of three nodes of each chain. */
export function withEveryLoss(random: Random, plan: Plan): Plan {
  const deployments = plan.deployments.map((deployment) =>
    deployment.nodes.length === SPARE_NODES ? deployment : withNodes(deployment, SPARE_NODES),
  )
  const spared = { ...plan, daemons: SPARE_DAEMONS, deployments }
  return { ...spared, losses: drawLosses(random, spared) }
}

function drawLosses(random: Random, plan: Plan): readonly PlannedLoss[] {
  const daemonIndex = random.integer(SPARE_DAEMONS)
  const daemon = plan.daemons === SPARE_DAEMONS ? [{ kind: 'daemon', daemonIndex } as const] : []
  const spare = plan.deployments.filter(({ nodes }) => nodes.length === SPARE_NODES)
  return [...daemon, ...spare.map((deployment) => drawNode(random, { plan, deployment }))]
}

type Place = { readonly plan: Plan; readonly deployment: IndexerDeployment }

/** Draws the lost node of a chain. If a node has lied before, only this node may lie permanently. */
function drawNode(random: Random, { plan, deployment }: Place): PlannedLoss {
  const { chainId } = deployment
  const nodeIndex = random.integer(SPARE_NODES)
  const lies = Array.from({ length: 1 + random.integer(3) }, () => random.pick(LIE_KINDS))
  if (random.fraction() < 0.5) return { kind: 'node', chainId, nodeIndex, lies: null }
  const liar = plan.troubles.find((one) => one.kind === 'lie' && one.chainId === chainId)
  const place = liar?.kind === 'lie' ? liar.nodeIndex : nodeIndex
  return { kind: 'node', chainId, nodeIndex: place, lies: [...new Set(lies)] }
}
