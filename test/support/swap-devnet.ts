import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { startSwap } from '../devnet/swap/start-swap.ts'
import { sharedByFiles } from './shared-by-files.ts'
import { temporaryDirectory } from './temporary-directory.ts'

/**
 * An installation with the devnet's own chains and a swap provider, with the built processes.
 *
 * Each user creates its own charges and webhooks, and leaves both processes running.
 */
export const SWAP_DEVNET = sharedByFiles<Devnet>(async () => {
  const devnet = await startDevnet({
    ...{ directory: await temporaryDirectory('swap'), program: 'dist', graceSeconds: 1 },
    extras: [startSwap],
    // Five attempts as in the real schedule, in seconds: that one is proven on a moved clock, test/integration/webhooks.
    settings: { indexer: { WEBHOOK_RETRY_SCHEDULE: '0s,1s,2s,3s,4s' } },
  })
  return { value: devnet, stop: devnet.stop }
})
