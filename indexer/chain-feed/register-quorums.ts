import { canReachQuorum, listOperators } from '../../shared/domain/node-config.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { type Metrics, registerMetrics } from '../../shared/runtime/metrics.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'

type Deployment = Pick<DeploymentConfig, 'network' | 'environment' | 'nodes' | 'quorum'>

/** Exposes the quorum of each network as a metric. Logs a warning for a quorum of 1 and for an unreachable quorum. */
export function registerQuorums(
  { log, registry }: { readonly log: Logger; readonly registry: Metrics },
  deployments: readonly Deployment[],
): void {
  const { network_quorum: gauge } = registerMetrics(registry, ['network', 'environment'], {
    network_quorum: 'Number of node operators that must agree before a fact of the network counts',
  })
  for (const deployment of deployments) {
    const { network, environment, quorum } = deployment
    gauge.set({ network, environment }, quorum)
    logQuorum(log, deployment)
  }
}

function logQuorum(log: Logger, deployment: Deployment): void {
  const { network, environment, nodes, quorum } = deployment
  const fields = { network, environment, quorum, operators: listOperators(nodes) }
  if (!canReachQuorum(deployment))
    log.warn({ msg: 'Network is disabled: its nodes have fewer operators than its quorum', ...fields })
  else if (quorum === 1) log.warn({ msg: 'Network trusts a single operator: its quorum is 1', ...fields })
}
