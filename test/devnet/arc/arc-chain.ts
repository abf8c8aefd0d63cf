import { deploySystem } from '../deploy.ts'
import type { ChainPlan, StartedChain } from '../networks.ts'
import { ARC_USDC } from './addresses.ts'
import { startArc } from './start-arc.ts'

/** Chain id of the real Arc. */
const CHAIN_ID = 5042

/** The devnet's local Arc chain, whose first block already contains USDC. */
export const ARC_CHAIN: ChainPlan = {
  network: 'arc',
  environment: 'live',
  chainId: CHAIN_ID,
  tokens: [],
  confirmations: 1,
  // Target block time according to docs.arc.io. Two blocks of the same second have the same timestamp.
  blockMs: 500,
  start,
}

async function start({ directory, blockMs }: { directory: string; blockMs: number }): Promise<StartedChain> {
  const arc = await startArc({ name: 'arc-live', chainId: CHAIN_ID, blockMs, directory })
  try {
    await deploySystem(arc)
    return { anvil: arc, deployed: [{ token: 'USDC', address: ARC_USDC, decimals: 6 }] }
  } catch (error) {
    await arc.stop()
    throw error
  }
}
