import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { startSwap } from '../devnet/swap/start-swap.ts'
import { sharedByFiles } from './shared-by-files.ts'
import { temporaryDirectory } from './temporary-directory.ts'

/**
 * A devnet with its default chains and a swap provider, which runs the built processes.
 *
 * Each test file that uses it creates its own charges and webhooks, and leaves both processes running.
 */
export const SWAP_DEVNET = sharedByFiles<Devnet>(async () => {
  const devnet = await startDevnet({
    ...{ directory: await temporaryDirectory('swap'), program: 'dist', graceSeconds: 1 },
    extras: [startSwap],
    // Five attempts like the real schedule, but seconds apart. test/integration/webhooks tests the real schedule with a
    // simulated clock.
    settings: { indexer: { WEBHOOK_RETRY_SCHEDULE: '0s,1s,2s,3s,4s' } },
  })
  return { value: devnet, stop: devnet.stop }
})
