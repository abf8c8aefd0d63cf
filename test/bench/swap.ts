import { HONEST } from '../devnet/swap/behaviours.ts'
import { API_KEY, createSwapFixture, type SwapFixture, TAKER } from '../support/swap-fixture.ts'
import { type BenchOptions, resize } from './bench.ts'
import { type Measurement, median } from './compare.ts'

/** Number of quotes per side, enough for a median that is stable to a millisecond. */
const QUOTES = 200

/** Response time of the simulated provider, similar to 0x, so that our API waits for the provider as in production. */
const PROVIDER_MS = 50

/**
 * Measures our quote and the provider's own response to the same request in alternation. Returns the two medians and
 * their difference, whose target is at most 20 ms.
 */
export async function benchSwap(options: BenchOptions): Promise<readonly Measurement[]> {
  const stage = await createSwapFixture()
  stage.provider.behave(async (quote) => {
    await new Promise((resolve) => setTimeout(resolve, PROVIDER_MS))
    return HONEST(quote)
  })
  try {
    const ours: number[] = []
    const theirs: number[] = []
    for (let count = 0; count < resize(QUOTES, options); count += 1) {
      const { id, address } = await stage.createCharge()
      ours.push(await time(() => stage.quote({ id })))
      theirs.push(await time(() => askProvider(stage, address)))
    }
    const [quote, answer] = [median(ours), median(theirs)]
    return [
      { name: 'quote through the API, p50', unit: 'ms', value: round(quote) },
      { name: 'the provider’s own response, p50', unit: 'ms', value: round(answer) },
      { name: 'difference of the two, p50 (target 20)', unit: 'ms', value: round(quote - answer) },
    ]
  } finally {
    await stage.close()
  }
}

async function askProvider({ provider }: SwapFixture, recipient: string): Promise<void> {
  const query = new URLSearchParams({
    ...{ chainId: '8453', sellToken: '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee', buyAmount: '10000000' },
    ...{ buyToken: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', taker: TAKER, recipient },
  })
  const headers = { '0x-api-key': API_KEY, '0x-version': 'v2' }
  const answer = await fetch(`${provider.url}/swap/permit2/quote?${query.toString()}`, { headers })
  if (!answer.ok) throw new Error(`the provider returned ${answer.status}`)
  await answer.json()
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10
}
