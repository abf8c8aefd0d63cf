import { estimateNodeNeed, getFeedIntervalMs } from '../../shared/domain/node-need.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'

/**
 * Returns the deployment with a polling interval that fits the limits of its nodes. Logs a warning if even the longest
 * interval needs more requests than the limits allow. Payments are then detected and confirmed late. No payment is lost
 * and no charge expires, because a node that cannot be queried counts as silent.
 */
export function fitToLimits<Deployment extends DeploymentConfig>(
  log: Logger,
  deployment: Deployment,
  budgetShare: number,
): Deployment {
  const fitted = {
    ...deployment,
    budgetShare,
    pollingIntervalMs: getFeedIntervalMs(deployment, budgetShare),
  }
  const { feedPerSecond, eachPerSecond, allowedPerSecond, isEnough } = estimateNodeNeed(fitted, budgetShare)
  if (!isEnough)
    log.warn({
      msg: 'Limits of the nodes of a network are below its need: payments are seen and confirmed late',
      ...{ network: deployment.network, environment: deployment.environment },
      needed_per_second: round(feedPerSecond + deployment.nodes.length * eachPerSecond),
      needed_per_second_of_each: round(eachPerSecond),
      allowed_per_second: allowedPerSecond === null ? null : round(allowedPerSecond),
    })
  return fitted
}

function round(perSecond: number): number {
  return Number(perSecond.toFixed(2))
}
