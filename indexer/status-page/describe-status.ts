import type { Alert } from './read-alerts.ts'
import type { RecentError } from './recent-errors.ts'
import type { Samples } from './samples.ts'

/** A network on which the daemon watches payments. */
export type WatchedNetwork = {
  readonly network: string
  readonly environment: string
  readonly chainId: number
}

/** The content of the status page: each value as text, and whether it needs the operator's attention. */
export type Status = {
  readonly isHealthy: boolean
  /** The problems that need attention, in words. */
  readonly problems: readonly string[]
  readonly networks: readonly { readonly name: string; readonly cells: readonly Cell[] }[]
  readonly service: readonly (Cell & { readonly name: string })[]
  /** `null` if they could not be read, `undefined` if no Prometheus is configured. */
  readonly alerts: readonly Alert[] | null | undefined
  readonly errors: readonly RecentError[]
}

export type Cell = { readonly text: string; readonly isBad: boolean }

type Input = Pick<Status, 'alerts' | 'errors'> & {
  readonly samples: Samples
  readonly networks: readonly WatchedNetwork[]
  /** Names of readiness checks that fail, with their reasons. */
  readonly failedChecks: Readonly<Record<string, string>>
  readonly now: Date
}

export const NETWORK_COLUMNS = [
  'Head',
  'Nodes',
  'Payouts waiting',
  'Relayer balance',
  'Balance lasts',
] as const

/** Describes the state of the daemon and of its networks from one scrape of its metrics. */
export function describeStatus({ samples, networks, failedChecks, now, alerts, errors }: Input): Status {
  const rows = networks.map((network) => describeNetwork(samples, network, now))
  const service = describeService(samples)
  const problems = [
    ...Object.entries(failedChecks).map(([name, reason]) => `Not ready: ${name}: ${reason}.`),
    ...rows.flatMap(({ name, problems: ofNetwork }) => ofNetwork.map((problem) => `${name}: ${problem}`)),
    ...service.flatMap(({ problem }) => (problem === null ? [] : [problem])),
    ...(alerts ?? []).filter(({ state }) => state === 'firing').map(({ summary }) => `Alert: ${summary}.`),
  ]
  return { isHealthy: problems.length === 0, problems, networks: rows, service, alerts, errors }
}

function describeNetwork(
  { sum }: Samples,
  { network, environment, chainId }: WatchedNetwork,
  now: Date,
): Status['networks'][number] & { readonly problems: readonly string[] } {
  const ofChain = (name: string) => sum(name, { chain_id: chainId })
  const head = ofChain('feed_head_block')
  const age = ofChain('feed_head_age_seconds')
  const isStale = ofChain('feed_is_stale') === 1
  const quorum = sum('network_quorum', { network, environment })
  const responding = sum('network_operators_responding', { network, environment })
  const contradictions = sum('node_disagreements_total', { network, environment }) ?? 0
  const isBelowQuorum = responding !== null && quorum !== null && responding < quorum
  const oldest = ofChain('payouts_oldest_pending_seconds')
  const [held, failed] = [ofChain('payouts_held') ?? 0, ofChain('payouts_failed') ?? 0]
  const isPayoutLate = oldest !== null && oldest > LATE_PAYOUT_SECONDS
  const relayer = describeRelayer({ sum }, chainId, now)
  return {
    name: `${network} ${environment}`,
    cells: [
      { text: head === null ? 'none yet' : `${head}, ${formatAge(age)}`, isBad: isStale },
      {
        text: `${responding ?? '?'} respond, ${quorum ?? '?'} required${contradictions === 0 ? '' : `; ${contradictions} contradictions since the start`}`,
        isBad: isBelowQuorum,
      },
      { text: describePayouts({ oldest, held, failed }), isBad: isPayoutLate || held > 0 || failed > 0 },
      ...relayer.cells,
    ],
    problems: [
      ...(isStale ? ['its chain data is stale, so payments on it are discouraged.'] : []),
      ...(isBelowQuorum
        ? [`${responding} of ${quorum} required node operators respond, so payments wait.`]
        : []),
      ...(isPayoutLate ? [`a payout has been waiting for ${formatSeconds(oldest)}.`] : []),
      ...(held > 0 ? [`${held} payouts wait because the token's issuer blocks them.`] : []),
      ...(failed > 0 ? [`${failed} payouts failed after their last attempt.`] : []),
      ...relayer.problems,
    ],
  }
}

/** The same limit as that of the alert PayoutsStuck. */
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

/** The same limits as those of the alerts RelayerLow and RelayerEmpty: the number of payouts that the balance can pay. */
const LOW_PAYOUTS = 100
/** A rate of transactions is an estimate only after this time. */
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
  const mined = sum('relayer_transactions_total', { chain_id: chainId, status: 'mined' }) ?? 0
  const uptime = now.getTime() / 1_000 - (sum('process_start_time_seconds') ?? now.getTime() / 1_000)
  const days = mined > 0 && uptime >= MIN_UPTIME_SECONDS ? payouts / ((mined / uptime) * DAY_SECONDS) : null
  return {
    cells: [
      { text: formatCoins(balance), isBad: isLow },
      {
        text: `${payouts} payouts${days === null ? '' : `, ${days < 10 ? days.toFixed(1) : Math.floor(days)} days`}`,
        isBad: isLow,
      },
    ],
    problems: isLow ? [`the relayer can pay only ${payouts} more payouts; send coins to it.`] : [],
  }
}

const UNKNOWN: Cell = { text: 'unknown', isBad: false }

type ServiceRow = Cell & { readonly name: string; readonly problem: string | null }

/** The same limit as that of the alert WebhooksLate. */
const LATE_WEBHOOK_SECONDS = 300
/** Outcomes of an attempt that the endpoint or our code caused. */
const FAILED_ATTEMPTS = ['refused', 'unanswered', 'broken'] as const

function describeService({ sum }: Samples): readonly ServiceRow[] {
  const due = sum('webhook_oldest_due_seconds')
  const failed = FAILED_ATTEMPTS.map((result) => sum('webhook_attempts_total', { result }) ?? 0)
  const counts = [
    [
      'Charges that wait for an operator',
      'charges_quarantined',
      'charges wait for an operator because their turn fails',
    ],
    [
      'Charges whose expiry is blocked',
      'charges_expiry_blocked',
      'charges cannot expire because their balance is unexplained',
    ],
    [
      'Counted rows that a quorum denies',
      'counted_rows_denied',
      'counted payments or distributions are denied by a quorum of nodes',
    ],
    ['Rows without a quorum', 'uncorroborated_rows', 'transactions wait for a quorum of nodes'],
  ] as const
  return [
    {
      ...{ name: 'Oldest webhook that is due', text: due === null ? 'unknown' : formatSeconds(due) },
      isBad: due !== null && due > LATE_WEBHOOK_SECONDS,
      problem:
        due !== null && due > LATE_WEBHOOK_SECONDS
          ? `A webhook has been due for ${formatSeconds(due)}.`
          : null,
    },
    {
      ...{
        name: 'Failed webhook attempts since the start',
        text: String(failed.reduce((all, count) => all + count, 0)),
      },
      ...{ isBad: false, problem: null },
    },
    ...counts.map(([name, metric, words]) => {
      const count = sum(metric)
      const isBad = (count ?? 0) > 0
      return { name, text: String(count ?? 'unknown'), isBad, problem: isBad ? `${count} ${words}.` : null }
    }),
  ]
}

function formatAge(seconds: number | null): string {
  return seconds === null ? 'age unknown' : `${formatSeconds(seconds)} old`
}

function formatSeconds(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`
}

function formatCoins(coins: number): string {
  return coins.toPrecision(4)
}
