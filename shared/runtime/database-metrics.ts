import { Histogram } from 'prom-client'
import { type Metrics, registerGauge } from './metrics.ts'

type Pool = {
  /** Resolves when the database has responded. */
  readonly ping: () => Promise<void>
  /** Reports how long each transaction waited for a connection, in seconds. */
  readonly observeWaits: (observe: (seconds: number) => void) => void
}

/** Buckets in seconds: from a round trip on loopback to a pool in which every transaction waits. */
const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]

/** Registers how long this process waits for its database, and for a connection of its pool. */
export function registerDatabase(registry: Metrics, { ping, observeWaits }: Pool): void {
  registerGauge(registry, 'database_ping_seconds', {
    help: 'Duration of a database round trip without work, through the pool, measured at the scrape',
    ask: async () => {
      const askedAtMs = performance.now()
      await ping()
      return (performance.now() - askedAtMs) / 1000
    },
  })
  const waits = new Histogram({
    name: 'database_connection_wait_seconds',
    help: 'How long transactions waited for a connection of the pool before they started',
    buckets: BUCKETS_SECONDS,
    registers: [registry],
  })
  observeWaits((seconds) => waits.observe(seconds))
}
