import type { PayoutBacklog } from '../../shared/db/payouts/daemon/payout-backlog.ts'
import { type Metrics, registerGaugeByChain } from '../../shared/runtime/metrics.ts'

/**
 * Registers the gauges of each chain's unfinished and failed payouts. Each scrape reads them from the database, so
 * every daemon shows the same values.
 */
export function registerPayoutBacklogMetrics(
  registry: Metrics,
  { listBacklog }: { readonly listBacklog: () => Promise<readonly PayoutBacklog[]> },
): void {
  const ask = (value: (backlog: PayoutBacklog) => number) => async () =>
    new Map((await listBacklog()).map((backlog) => [backlog.chainId, value(backlog)] as const))
  registerGaugeByChain(registry, 'payouts_oldest_pending_seconds', {
    help: 'Seconds since the oldest open payout that is not held became available; 0 if there is none',
    ask: ask(({ oldestSeconds }) => oldestSeconds),
  })
  registerGaugeByChain(registry, 'payouts_held', {
    help: 'Payouts that wait because an issuer has paused its token or blocked an address',
    ask: ask(({ held }) => held),
  })
  registerGaugeByChain(registry, 'payouts_failed', {
    help: 'Payouts that failed after their last attempt; any account may still distribute them',
    ask: ask(({ failed }) => failed),
  })
}
