import type { ChainPlan, StartedChain } from '../networks.ts'
import { TRON_CHAIN_ID, TRON_USDT } from './addresses.ts'
import { startTron } from './start-tron.ts'

/** The devnet's local TRON chain. */
export const TRON_PLAN: ChainPlan = {
  network: 'tron',
  environment: 'live',
  chainId: TRON_CHAIN_ID,
  tokens: [],
  confirmations: 19,
  // A payment and its payout take 19 blocks each: two minutes with TRON's block time of 3 s, but 19 s with 500 ms. The
  // README promises a demo of one minute. Two blocks that are mined in the same second have the same timestamp.
  blockMs: 500,
  start,
}

async function start({ directory, blockMs }: { directory: string; blockMs: number }): Promise<StartedChain> {
  const tron = await startTron({ name: 'tron-live', blockMs, directory })
  return {
    anvil: tron,
    deployed: [{ token: 'USDT', address: TRON_USDT, decimals: 6 }],
    ...{ factory: tron.factory, httpUrl: tron.httpUrl },
  }
}
