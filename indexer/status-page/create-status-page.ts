import type { Clock } from '../../shared/runtime/clock.ts'
import type { Metrics } from '../../shared/runtime/metrics.ts'
import type { WatchedNetwork } from './describe-network.ts'
import { describeStatus } from './describe-status.ts'
import { readAlerts } from './read-alerts.ts'
import type { RecentError } from './recent-errors.ts'
import { renderStatus } from './render-status.ts'
import { readSamples } from './samples.ts'

type Deps = {
  readonly registry: Metrics
  readonly networks: readonly WatchedNetwork[]
  readonly listErrors: () => readonly RecentError[]
  /** `null` if no Prometheus is configured. */
  readonly prometheusUrl: string | null
  /** Timeout of a read of the alerts; 2 s by default. */
  readonly prometheusTimeoutMs?: number
  readonly now: Clock
}

/** Creates the function that renders the status page of the daemon from its current metrics. */
export function createStatusPage(deps: Deps) {
  const { registry, networks, listErrors, prometheusUrl, prometheusTimeoutMs, now } = deps
  return async (failedChecks: Readonly<Record<string, string>>): Promise<string> => {
    const [samples, alerts] = await Promise.all([
      readSamples(registry),
      prometheusUrl === null ? undefined : readAlerts(prometheusUrl, prometheusTimeoutMs),
    ])
    const at = now()
    return renderStatus(
      describeStatus({ samples, networks, failedChecks, alerts, errors: listErrors(), now: at }),
      at,
    )
  }
}
