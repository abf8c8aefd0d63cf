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

/**
 * Requests per second of a network without payments, and the requests per second that its nodes' limits allow the
 * daemon.
 */
export type NodeNeed = {
  /** Requests of the feed, which are divided among the nodes. */
  readonly feedPerSecond: number
  /** Requests to each node in addition to the feed's requests. */
  readonly eachPerSecond: number
  /** Requests that the limits of all nodes allow; `null` if a node has no limit. */
  readonly allowedPerSecond: number | null
  readonly isEnough: boolean
}

const DAY_SECONDS = 86_400

/** Interval of the checks for missing rows, a silent chain and the contracts' code, which read every node's head. */
const CARE = { blocks: 1, leastMs: 3_000, mostMs: 12_000 }
/**
 * Part of a node's limit that reading its head may use, and the maximum interval at which a silent node is still
 * detected in time.
 */
const CARE_PART = 0.1
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

/** Returns the requests per second that a node's limits allow over a whole day; `null` without limits. */
export function getAllowedPerSecond(
  { requestsPerSecond, requestsPerDay }: Limits,
  share: number,
): number | null {
  const limits = [requestsPerSecond, requestsPerDay === null ? null : requestsPerDay / DAY_SECONDS]
  const known = limits.filter((limit) => limit !== null)
  return known.length === 0 ? null : Math.min(...known) * share
}

/** Returns the interval of the reads of every node's head. It is longer for nodes with low limits. */
export function getCareIntervalMs(
  { blockTimeMs, nodes }: Pick<Deployment, 'blockTimeMs' | 'nodes'>,
  share: number,
): number {
  return stretchForLimits(getPollIntervalMs(blockTimeMs, CARE), { nodes, share, part: CARE_PART })
}

/** Returns an interval that is long enough to use at most this part of the lowest limit of the nodes. */
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
 * Returns the polling interval of a feed. The head is polled twice per block, or once per block if the limits of the
 * nodes are below the need. A longer interval would save nothing, because the feed fetches every block.
 */
export function getFeedIntervalMs(deployment: Deployment, share: number): number {
  const { blockTimeMs, pollingIntervalMs } = deployment
  return estimateNodeNeed(deployment, share).isEnough
    ? pollingIntervalMs
    : Math.max(pollingIntervalMs, blockTimeMs)
}
