import type { Cell } from './cell.ts'
import { describeNetwork, type WatchedNetwork } from './describe-network.ts'
import { describeService } from './describe-service.ts'
import type { Alert } from './read-alerts.ts'
import type { RecentError } from './recent-errors.ts'
import type { Samples } from './samples.ts'

/** The content of the status page: each value as text, and whether it needs the operator's attention. */
export type Status = {
  readonly isHealthy: boolean
  readonly problems: readonly string[]
  readonly networks: readonly { readonly name: string; readonly cells: readonly Cell[] }[]
  readonly service: readonly (Cell & { readonly name: string })[]
  /** `null` if the alerts could not be read; `undefined` if no Prometheus is configured. */
  readonly alerts: readonly Alert[] | null | undefined
  readonly errors: readonly RecentError[]
}

type Input = Pick<Status, 'alerts' | 'errors'> & {
  readonly samples: Samples
  readonly networks: readonly WatchedNetwork[]
  /** Names of readiness checks that fail, with their reasons. */
  readonly failedChecks: Readonly<Record<string, string>>
  readonly now: Date
}

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
