import type { ChainPlan, StartedChain } from '../networks.ts'
import { TRON_CHAIN_ID, TRON_USDT } from './addresses.ts'
import { startTron } from './start-tron.ts'

/** A local TRON as one of the devnet's chains. */
export const TRON_PLAN: ChainPlan = {
  network: 'tron',
  environment: 'live',
  chainId: TRON_CHAIN_ID,
  tokens: [],
  confirmations: 19,
  // A payment and its payout take 19 blocks each. At three seconds a demonstration would last two minutes; at one it comes
  // near the minute that it is given, and so 38 blocks take 19 s. Two blocks of a second have one timestamp.
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
