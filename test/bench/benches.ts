import { benchAccounting } from './accounting.ts'
import { benchApi } from './api.ts'
import type { Bench } from './bench.ts'
import { benchBeside } from './beside.ts'
import { benchCheckout } from './checkout.ts'
import { benchCredits } from './credits.ts'
import { benchFaults } from './faults.ts'
import { benchFootprint } from './footprint.ts'
import { benchGas } from './gas.ts'
import { benchIndexing } from './indexing.ts'
import { benchLatency } from './latency.ts'
import { benchList } from './list.ts'
import { benchMemory } from './memory.ts'
import { benchMetrics } from './metrics.ts'
import { benchNetworks } from './networks.ts'
import { benchScale } from './scale.ts'
import { benchStreams } from './streams.ts'
import { benchSwap } from './swap.ts'
import { benchWaking } from './waking.ts'
import { benchWebhooks } from './webhooks.ts'

/** Every bench by its name on the command line. */
export const BENCHES: Readonly<Record<string, Bench>> = {
  accounting: benchAccounting,
  api: benchApi,
  beside: benchBeside,
  checkout: benchCheckout,
  credits: benchCredits,
  faults: benchFaults,
  footprint: benchFootprint,
  gas: benchGas,
  indexing: benchIndexing,
  latency: benchLatency,
  list: benchList,
  memory: benchMemory,
  metrics: benchMetrics,
  networks: benchNetworks,
  scale: benchScale,
  streams: benchStreams,
  swap: benchSwap,
  waking: benchWaking,
  webhooks: benchWebhooks,
}
