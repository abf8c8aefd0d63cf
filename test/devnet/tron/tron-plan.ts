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
  // A payment and its payout take 19 blocks each. With TRON's block time of 3 s, the demo would take two minutes; with
  // 1 s, almost the one minute that README.md promises. With 500 ms, it takes 19 s. Two blocks mined in the same second
  // have the same timestamp.
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
