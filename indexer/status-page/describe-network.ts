import { type Cell, formatAge, formatCoins, formatCount, formatSeconds } from './cell.ts'
import type { Samples } from './samples.ts'

/** A network on which the daemon watches payments. */
export type WatchedNetwork = {
  readonly network: string
  readonly environment: string
  readonly chainId: number
}

export const NETWORK_COLUMNS = [
  'Head',
  'Nodes',
  'Requests left today',
  'Payouts waiting',
  'Relayer balance',
  'Balance lasts',
] as const

export function describeNetwork(
  samples: Samples,
  { network, environment, chainId }: WatchedNetwork,
  now: Date,
): { readonly name: string; readonly cells: readonly Cell[]; readonly problems: readonly string[] } {
  const { sum } = samples
  const ofChain = (name: string) => sum(name, { chain_id: chainId })
  const head = ofChain('feed_head_block')
  const age = ofChain('feed_head_age_seconds')
  const isStale = ofChain('feed_is_stale') === 1
  const isAsleep = ofChain('feed_is_asleep') === 1
  const quorum = sum('network_quorum', { network, environment })
  const responding = sum('network_operators_responding', { network, environment })
  const contradictions = sum('node_disagreements_total', { network, environment }) ?? 0
  const isBelowQuorum = responding !== null && quorum !== null && responding < quorum
  const oldest = ofChain('payouts_oldest_pending_seconds')
  const [held, failed] = [ofChain('payouts_held') ?? 0, ofChain('payouts_failed') ?? 0]
  const isPayoutLate = oldest !== null && oldest > LATE_PAYOUT_SECONDS
  const relayer = describeRelayer(samples, chainId, now)
  const budget = describeBudget(samples, chainId)
  return {
    name: `${network} ${environment}`,
    cells: [
      { text: describeHead(head, { age: formatAge(age), isAsleep }), isBad: isStale },
      {
        text: `${responding ?? '?'} respond, ${quorum ?? '?'} required${contradictions === 0 ? '' : `; ${contradictions} contradictions since the start`}`,
        isBad: isBelowQuorum,
      },
      budget.cell,
      { text: describePayouts({ oldest, held, failed }), isBad: isPayoutLate || held > 0 || failed > 0 },
      ...relayer.cells,
    ],
    problems: [
      ...(isStale ? ['its chain data is stale, so payments on it are discouraged.'] : []),
      ...(isBelowQuorum
        ? [`${responding} of ${quorum} required node operators respond, so payments wait.`]
        : []),
      ...budget.problems,
      ...(isPayoutLate ? [`a payout has been waiting for ${formatSeconds(oldest)}.`] : []),
      ...(held > 0 ? [`payouts that wait because the token's issuer blocks them: ${held}.`] : []),
      ...(failed > 0 ? [`payouts whose last attempt failed: ${failed}.`] : []),
      ...relayer.problems,
    ],
  }
}

/** For a sleeping network, shows only the age of its head, which is read once a minute and not applied. */
function describeHead(head: number | null, { age, isAsleep }: { age: string; isAsleep: boolean }): string {
  if (isAsleep) return `asleep, head ${age}`
  return head === null ? 'none yet' : `${head}, ${age}`
}

/** The limit of the alert NodeBudgetLow, as a share of a day's requests. */
const LOW_BUDGET = 0.1

function describeBudget(
  { list, sum }: Samples,
  chainId: number,
): { readonly cell: Cell; readonly problems: readonly string[] } {
  const nodes = list('node_day_requests_limit', { chain_id: chainId }).map(({ labels, value: limit }) => {
    const node = String(labels['node'])
    const left = Math.max(0, sum('node_day_requests_left', { chain_id: chainId, node }) ?? 0)
    return { node, left, limit, isLow: left < LOW_BUDGET * limit }
  })
  const low = nodes.filter(({ isLow }) => isLow)
  const paused = list('node_paused_seconds', { chain_id: chainId }).filter(({ value }) => value > 0)
  const texts = [
    ...nodes.map(({ node, left, limit }) => `${node}: ${formatCount(left)} of ${formatCount(limit)}`),
    ...listUnsent({ list }, chainId),
    ...paused.map(({ labels, value }) => `${labels['node']}: paused for ${formatSeconds(Math.ceil(value))}`),
  ]
  return {
    cell: { text: texts.join('; ') || 'no limit', isBad: low.length > 0 || paused.length > 0 },
    problems: [
      ...low.map(
        ({ node, left }) => `${node} allows only ${formatCount(left)} more requests in these 24 hours.`,
      ),
      ...paused.map(({ labels }) => `${labels['node']} demands fewer requests, and is paused.`),
    ],
  }
}

/** Lists per node how many requests about payments its limits have prevented (the alert NodeBudgetShort). */
function listUnsent({ list }: Pick<Samples, 'list'>, chainId: number): readonly string[] {
  const unsent = new Map<string, number>()
  for (const { labels, value } of list('node_requests_refused_total', { chain_id: chainId })) {
    const node = String(labels['node'])
    if (labels['priority'] !== 'background') unsent.set(node, (unsent.get(node) ?? 0) + value)
  }
  return [...unsent].flatMap(([node, count]) =>
    count === 0 ? [] : [`${node}: ${formatCount(count)} requests about payments not sent since the start`],
  )
}

/** The limit of the alert PayoutsStuck. */
const LATE_PAYOUT_SECONDS = 1_200

function describePayouts(payouts: { oldest: number | null; held: number; failed: number }): string {
  const { oldest, held, failed } = payouts
  const parts = [
    oldest === null ? 'unknown' : oldest === 0 ? 'none' : `oldest ${formatSeconds(oldest)}`,
    ...(held > 0 ? [`${held} blocked by an issuer`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
  ]
  return parts.join(', ')
}

/** The limit of the alert RelayerLow, in payouts that the balance can pay for. */
const LOW_PAYOUTS = 100
/**
 * The statuses of which a transaction that paid gas reaches one. It reaches another one only if it is reopened, after a
 * deep reorganization or because a quorum denies its success; such transactions are too few to change the estimate.
 * `mined` is not among them: a transaction that is first seen at confirmation depth, and every transaction on TRON, skips
 * it.
 */
const PAID_STATUSES = ['final', 'reverted'] as const
/** Minimum uptime for an estimate of the rate of transactions. */
const MIN_UPTIME_SECONDS = 3_600
const DAY_SECONDS = 86_400

function describeRelayer(
  { sum }: Samples,
  chainId: number,
  now: Date,
): { readonly cells: readonly Cell[]; readonly problems: readonly string[] } {
  const balance = sum('relayer_balance_coins', { chain_id: chainId })
  const cost = sum('relayer_payout_cost_coins', { chain_id: chainId })
  if (balance === null || cost === null || cost === 0)
    return {
      cells: [{ text: balance === null ? 'unknown' : formatCoins(balance), isBad: false }, UNKNOWN],
      problems: [],
    }
  const payouts = Math.floor(balance / cost)
  const isLow = payouts < LOW_PAYOUTS
  const paid = PAID_STATUSES.reduce(
    (count, status) => count + (sum('relayer_transactions_total', { chain_id: chainId, status }) ?? 0),
    0,
  )
  const uptime = now.getTime() / 1_000 - (sum('process_start_time_seconds') ?? now.getTime() / 1_000)
  const days = paid > 0 && uptime >= MIN_UPTIME_SECONDS ? payouts / ((paid / uptime) * DAY_SECONDS) : null
  return {
    cells: [
      { text: formatCoins(balance), isBad: isLow },
      {
        text: `${formatCount(payouts)} payouts${days === null ? '' : `, ${days < 10 ? days.toFixed(1) : Math.floor(days)} days`}`,
        isBad: isLow,
      },
    ],
    problems: isLow ? [`the relayer can pay only ${payouts} more payouts; send coins to it.`] : [],
  }
}

const UNKNOWN: Cell = { text: 'unknown', isBad: false }
