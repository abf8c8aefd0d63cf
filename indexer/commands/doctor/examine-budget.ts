import { estimateNodeNeed } from '../../../shared/domain/node-need.ts'
import type { DeploymentConfig } from '../../../shared/runtime/networks-config.ts'
import { createPassedFinding, type Finding } from './finding.ts'

type Deployment = Pick<DeploymentConfig, 'family' | 'blockTimeMs' | 'pollingIntervalMs' | 'nodes'>

const DAY_SECONDS = 86_400

/**
 * Compares the requests that a network needs with the limits of its nodes. The remedy states the sufficient limit.
 *
 * @param share - the part of each limit that the daemon may use, from 0 to 1
 */
export function examineBudget(deployment: Deployment, share: number): Finding {
  const { nodes } = deployment
  const { feedPerSecond, eachPerSecond, allowedPerSecond, isEnough } = estimateNodeNeed(deployment, share)
  const needed = feedPerSecond + nodes.length * eachPerSecond
  const subject = 'limits of nodes'
  const need = `all nodes together (${nodes.length}) need to serve about ${formatRate(needed)}`
  if (isEnough)
    return createPassedFinding(
      subject,
      allowedPerSecond === null ? `${need}; at least one node is without a configured limit` : need,
    )
  const ofOne = (feedPerSecond / nodes.length + eachPerSecond) / share
  return {
    ...{ subject, isWarning: true },
    found:
      allowedPerSecond === null
        ? `${need}; at least one node must serve more than its own limits allow`
        : `${need}; the limits allow ${formatRate(allowedPerSecond)} in total, but this total or one node's limits are too low: payments are seen and confirmed late`,
    remedy: `use plans of at least ${formatRate(ofOne)} for each node, more nodes, or your own node in rpcUrls (docs/nodes.md)`,
  }
}

/** Rounds the requests per day up to a thousand, because operators compare them with a provider's plan. */
function formatRate(perSecond: number): string {
  const perDay = Math.ceil((perSecond * DAY_SECONDS) / 1_000) * 1_000
  return `${perSecond.toFixed(1)} requests per second (${perDay.toLocaleString('en-US')} per day)`
}
