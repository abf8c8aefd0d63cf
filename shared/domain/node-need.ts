import type { ChainFamilyName } from './address.ts'
import { getPollIntervalMs } from './poll-interval.ts'
import { REQUESTS_BY_FAMILY } from './requests-by-family.ts'

/** The limits of a node; `null` for none. */
type Limits = { readonly requestsPerSecond: number | null; readonly requestsPerDay: number | null }

type Deployment = {
  readonly family: ChainFamilyName
  readonly blockTimeMs: number
  readonly pollingIntervalMs: number
  readonly nodes: readonly Limits[]
}

/** Requests per second that a network without payments needs, and that the limits of its nodes allow the daemon. */
export type NodeNeed = {
  /** Requests of the feed, which are divided among the nodes. */
  readonly feedPerSecond: number
  /** Requests to each node in addition to the feed's requests. */
  readonly eachPerSecond: number
  /** Requests that all nodes together allow; `null` if a node has no limit. */
  readonly allowedPerSecond: number | null
  readonly isEnough: boolean
}

const DAY_SECONDS = 86_400

/** Interval of the checks for missing rows, a stalled chain and the contracts' code, which read every node's head. */
const CARE = { blocks: 1, leastMs: 3_000, mostMs: 12_000 }
/** The part of a node's limit that reading its head may use. */
const CARE_PART = 0.1
/** Maximum interval at which an unresponsive node is still detected in time. */
const MAX_CARE_MS = 30_000

/**
 * Requests per second to each node that do not depend on blocks or charges: confirmed heads and range scans every 30 s,
 * chain ids and balances of our accounts every minute.
 */
const REST_PER_SECOND = 0.3

/**
 * Estimates the requests of a network on which no charge is paid. Each paid charge needs about 40 more.
 *
 * @param share - the part of each limit that the daemon may use
 */
export function estimateNodeNeed(deployment: Deployment, share: number): NodeNeed {
  const { family, blockTimeMs, pollingIntervalMs, nodes } = deployment
  const blocksPerSecond = 1_000 / blockTimeMs
  const headsPerSecond = Math.max(1_000 / pollingIntervalMs, blocksPerSecond)
  const { logs, scans } = REQUESTS_BY_FAMILY[family]
  const feedPerSecond = headsPerSecond + logs * blocksPerSecond
  const eachPerSecond =
    1_000 / getCareIntervalMs(deployment, share) + scans * blocksPerSecond + REST_PER_SECOND
  const allowed = nodes.map((node) => getAllowedPerSecond(node, share))
  const spare = allowed.map((perSecond) => (perSecond ?? Number.POSITIVE_INFINITY) - eachPerSecond)
  const total = spare.reduce((sum, perSecond) => sum + perSecond, 0)
  return {
    ...{ feedPerSecond, eachPerSecond },
    allowedPerSecond: allowed.reduce<number | null>(
      (sum, perSecond) => (sum === null || perSecond === null ? null : sum + perSecond),
      0,
    ),
    isEnough: spare.every((perSecond) => perSecond >= 0) && total >= feedPerSecond,
  }
}

/** Returns the requests per second that the daemon may send to a node all day; `null` if the node has no limits. */
export function getAllowedPerSecond(
  { requestsPerSecond, requestsPerDay }: Limits,
  share: number,
): number | null {
  const limits = [requestsPerSecond, requestsPerDay === null ? null : requestsPerDay / DAY_SECONDS]
  const known = limits.filter((limit) => limit !== null)
  return known.length === 0 ? null : Math.min(...known) * share
}

/** Returns the interval at which every node's head is read. It is longer if a node has a low limit. */
export function getCareIntervalMs(
  { blockTimeMs, nodes }: Pick<Deployment, 'blockTimeMs' | 'nodes'>,
  share: number,
): number {
  return stretchForLimits(getPollIntervalMs(blockTimeMs, CARE), { nodes, share, part: CARE_PART })
}

/** Lengthens an interval, to at most 30 s, so that one request per interval uses only this part of the lowest limit. */
export function stretchForLimits(
  intervalMs: number,
  {
    nodes,
    share,
    part,
  }: { readonly nodes: readonly Limits[]; readonly share: number; readonly part: number },
): number {
  const allowed = nodes.map((node) => getAllowedPerSecond(node, share)).filter((limit) => limit !== null)
  if (allowed.length === 0) return intervalMs
  const stretchedMs = Math.ceil(1_000 / (Math.min(...allowed) * part))
  return Math.max(intervalMs, Math.min(stretchedMs, MAX_CARE_MS))
}

/**
 * Returns the polling interval of a feed: the configured interval, or at least the block time if the nodes' limits are
 * below the need. A longer interval would save nothing, because the feed fetches every block.
 */
export function getFeedIntervalMs(deployment: Deployment, share: number): number {
  const { blockTimeMs, pollingIntervalMs } = deployment
  return estimateNodeNeed(deployment, share).isEnough
    ? pollingIntervalMs
    : Math.max(pollingIntervalMs, blockTimeMs)
}
