import { type Cell, formatCount, formatSeconds } from './cell.ts'
import type { Samples } from './samples.ts'

type ServiceRow = Cell & { readonly name: string; readonly problem: string | null }

/** The limit of the alert WebhooksLate. */
const LATE_WEBHOOK_SECONDS = 300
const FAILED_ATTEMPTS = ['refused', 'unanswered', 'broken'] as const

/** Describes the webhooks, the waiting charges and the rows that a quorum denies or does not confirm yet. */
export function describeService({ sum }: Samples): readonly ServiceRow[] {
  const due = sum('webhook_oldest_due_seconds')
  const attempts = sum('webhook_attempts_total') ?? 0
  const failed = FAILED_ATTEMPTS.map((result) => sum('webhook_attempts_total', { result }) ?? 0).reduce(
    (all, count) => all + count,
    0,
  )
  const isAllFailed = attempts > 0 && failed === attempts
  const counts = [
    [
      'Charges that wait for an operator',
      'charges_quarantined',
      'Charges that wait for an operator because their turn fails',
    ],
    [
      'Charges whose expiry is blocked',
      'charges_expiry_blocked',
      'Charges that cannot expire because their balance is unexplained',
    ],
    [
      'Counted rows that a quorum denies',
      'counted_rows_denied',
      'Counted payments or distributions that a quorum of nodes denies',
    ],
    ['Rows without a quorum', 'uncorroborated_rows', 'Transactions that wait for a quorum of nodes'],
  ] as const
  return [
    {
      ...{
        name: 'Oldest webhook that is due',
        text: due === null ? 'unknown' : due === 0 ? 'none' : formatSeconds(due),
      },
      isBad: due !== null && due > LATE_WEBHOOK_SECONDS,
      problem:
        due !== null && due > LATE_WEBHOOK_SECONDS
          ? `A webhook has been due for ${formatSeconds(due)}.`
          : null,
    },
    {
      ...{
        name: 'Failed webhook attempts since the start',
        text: `${formatCount(failed)} of ${formatCount(attempts)}`,
      },
      isBad: isAllFailed,
      problem: isAllFailed ? 'No webhook attempt has succeeded since the start.' : null,
    },
    ...counts.map(([name, metric, words]) => {
      const count = sum(metric)
      const isBad = (count ?? 0) > 0
      return { name, text: String(count ?? 'unknown'), isBad, problem: isBad ? `${words}: ${count}.` : null }
    }),
  ]
}
