import { deploySystem } from '../deploy.ts'
import type { ChainPlan, StartedChain } from '../networks.ts'
import { ARC_USDC } from './addresses.ts'
import { startArc } from './start-arc.ts'

/** Arc's own id: its USDC stands in the first block, so nothing of ours is deployed but the system. */
const CHAIN_ID = 5042

/** A local Arc as one of the devnet's chains. */
export const ARC_CHAIN: ChainPlan = {
  network: 'arc',
  environment: 'live',
  chainId: CHAIN_ID,
  tokens: [],
  confirmations: 1,
  // Two blocks of each second have one timestamp. Source: docs.arc.io, the target block time.
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
