import { Histogram } from 'prom-client'
import { type Metrics, registerGauge } from '../../shared/runtime/metrics.ts'
import type { ConfirmationLag } from './confirmation-lag.ts'

export type ChargeMetrics = { readonly noteConfirmed: (delay: ConfirmationLag) => void }

/**
 * Buckets in seconds: from the lag of a chain with one confirmation to the lag of a chain that was not read for a day.
 */
const BUCKETS_SECONDS = [1, 2, 5, 10, 15, 20, 30, 45, 60, 90, 120, 300, 600, 1800, 3600, 86_400]

/** Each scrape counts the quarantined charges. */
export function createChargeMetrics(
  registry: Metrics,
  { countParked }: { readonly countParked: () => Promise<number> },
): ChargeMetrics {
  registerGauge(registry, 'charges_quarantined', {
    help: 'Charges that are quarantined because their turn failed or their terms are not valid',
    ask: countParked,
  })
  const delays = new Histogram({
    name: 'charge_confirmation_lag_seconds',
    help: 'Seconds from the block of the payment that confirmed a charge to its confirmation, including the chain’s feed_confirmation_seconds',
    labelNames: ['chain_id'],
    buckets: BUCKETS_SECONDS,
    registers: [registry],
  })
  return { noteConfirmed: ({ chainId, seconds }) => delays.observe({ chain_id: chainId }, seconds) }
}
