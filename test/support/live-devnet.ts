import { join } from 'node:path'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { LIVE_CHAINS } from '../devnet/networks.ts'
import { enablePayBySignature } from '../devnet/pay-by-signature.ts'
import { startSwap } from '../devnet/swap/start-swap.ts'
import { sharedByFiles } from './shared-by-files.ts'
import { temporaryDirectory } from './temporary-directory.ts'

/** A devnet, and the file that describes it to scripts. */
export type LiveDevnet = { readonly devnet: Devnet; readonly descriptionFile: string }

/**
 * A devnet that runs the built processes with only live networks, payment by signature and a swap provider. Starting
 * it takes 15 s of CPU time, and running it 0.15 s per second (2026-11-23).
 *
 * Each test file that uses it must create its own charges, keys and webhooks, and must leave both processes running. It
 * must also delete its webhooks, because otherwise the service attempts up to five deliveries of each later event to
 * them.
 */
export const LIVE_DEVNET = sharedByFiles<LiveDevnet>(async () => {
  const directory = await temporaryDirectory('live')
  const devnet = await startDevnet({
    ...{ directory, program: 'dist', chains: LIVE_CHAINS, graceSeconds: 1 },
    extras: [enablePayBySignature, startSwap],
    // Five attempts like the real schedule, but seconds apart. test/integration/webhooks tests the real schedule with a
    // simulated clock.
    settings: { indexer: { WEBHOOK_RETRY_SCHEDULE: '0s,1s,2s,3s,4s' } },
  })
  return { value: { devnet, descriptionFile: join(directory, 'devnet.json') }, stop: devnet.stop }
})
