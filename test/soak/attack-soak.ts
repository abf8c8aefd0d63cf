import { setTimeout as delay } from 'node:timers/promises'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { LIVE_CHAINS } from '../devnet/networks.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { scrape } from '../support/scrape.ts'
import { type Attackers, startAttackers } from './attackers.ts'
import { type Customers, startCustomers } from './customers.ts'
import type { Verdict } from './evaluate.ts'
import type { SoakOptions } from './soak.ts'

const MINUTE_MS = 60_000
const SAY_MS = 30_000

/** Maximum time after the last attack until the API has freed all unread response bytes and streams. */
const RECOVERS_WITHIN_MS = MINUTE_MS

/** Empty settings mean the shipped defaults. The devnet's own limits are too high to be reached. */
const DEFAULT_LIMITS = {
  RATE_LIMIT_PER_MINUTE: '',
  RATE_LIMIT_TRANSFERABILITY_PER_MINUTE: '',
  RATE_LIMIT_METRICS_PER_MINUTE: '',
  RATE_LIMIT_CHECKS_PER_MINUTE: '',
  RATE_LIMIT_CHECKOUT_PER_MINUTE: '',
  CHECKOUT_STREAMS_PER_ADDRESS: '',
}

/**
 * Attacks the public API while customers pay. The run fails if a customer's request fails, if no charge is paid, or if
 * unread bytes or open streams remain after the attacks.
 */
export async function runAttackSoak(
  options: Pick<SoakOptions, 'directory' | 'minutes' | 'say'>,
): Promise<Verdict> {
  const devnet = await startDevnet({
    ...{ directory: options.directory, program: 'dist' as const, graceSeconds: 3, confirmations: 3 },
    ...{ chains: LIVE_CHAINS, settings: { api: DEFAULT_LIMITS } },
  })
  try {
    const customers = startCustomers(devnet)
    const { apiUrl } = devnet.description
    const attackers = startAttackers({ baseUrl: apiUrl, findPage: customers.lastPage })
    await watch(devnet, customers, options)
    await customers.rest()
    await attackers.stop()
    const recovery = await judgeRecovery(devnet)
    return {
      figures: [figureOf(customers), figureOfAttacks(attackers), ...recovery.figures],
      failures: [
        ...customers.failures,
        ...(customers.paid() === 0 ? ['no charge was paid'] : []),
        ...recovery.failures,
      ],
    }
  } finally {
    await devnet.stop()
  }
}

async function watch(
  devnet: Devnet,
  customers: Customers,
  { minutes, say }: Pick<SoakOptions, 'minutes' | 'say'>,
): Promise<void> {
  const endsAtMs = Date.now() + minutes * MINUTE_MS
  while (Date.now() < endsAtMs) {
    await delay(Math.min(SAY_MS, Math.max(0, endsAtMs - Date.now())))
    const levels = await readLevels(devnet).catch((error: Error) => error.message)
    say(`${figureOf(customers)}; ${customers.failures.length} failed; ${JSON.stringify(levels)}`)
  }
}

async function judgeRecovery(devnet: Devnet): Promise<Verdict> {
  const isQuiet = async () => {
    const { unreadBytes, openStreams } = await readLevels(devnet)
    return unreadBytes === 0 && openStreams === 0
  }
  const what = 'no unread bytes and no open streams'
  const problem = await waitFor(isQuiet, { what, timeoutMs: RECOVERS_WITHIN_MS }).then(
    () => null,
    (error: Error) => error.message,
  )
  return {
    figures: [`afterwards ${JSON.stringify(await readLevels(devnet))}`],
    failures: problem === null ? [] : [problem],
  }
}

async function readLevels({ description }: Devnet) {
  const { valueOf } = await scrape(description.internalUrls.api)
  return {
    unreadBytes: valueOf('http_buffered_response_bytes', {}),
    openStreams: valueOf('http_open_streams', {}),
    residentMb: Math.round((valueOf('process_resident_memory_bytes', {}) ?? 0) / 1e6),
  }
}

function figureOf({ paid, latenciesMs }: Customers): string {
  const sorted = [...latenciesMs].sort((one, other) => one - other)
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0)
  return `${paid()} charges paid in ${sorted.length} requests of customers: median ${at(0.5)} ms, p99 ${at(0.99)} ms, maximum ${at(1)} ms`
}

function figureOfAttacks({ turns }: Attackers): string {
  return [...turns].map(([name, count]) => `${count} × ${name}`).join(', ')
}
