import { join } from 'node:path'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { LIVE_CHAINS } from '../devnet/networks.ts'
import { enablePayBySignature } from '../devnet/pay-by-signature.ts'
import { startSwap } from '../devnet/swap/start-swap.ts'
import { sharedByFiles } from './shared-by-files.ts'
import { temporaryDirectory } from './temporary-directory.ts'

/** A devnet, and the file with its description for scripts. */
export type LiveDevnet = { readonly devnet: Devnet; readonly descriptionFile: string }

/**
 * A devnet of the built processes with payment by signature, a swap provider and only live networks. Its start takes
 * 15 s of CPU time, and then each second takes 0.15 s (2026-11-23).
 *
 * Each test file that uses this devnet must create its own charges, keys and webhooks, and leave both processes
 * running. It must delete its webhooks, because otherwise the service attempts each later event's delivery to them up
 * to five times.
 */
export const LIVE_DEVNET = sharedByFiles<LiveDevnet>(async () => {
  const directory = await temporaryDirectory('live')
  const devnet = await startDevnet({
    ...{ directory, program: 'dist', chains: LIVE_CHAINS, graceSeconds: 1 },
    extras: [enablePayBySignature, startSwap],
    // Five attempts as by default, but seconds apart. test/integration/webhooks tests the default schedule with a
    // simulated clock.
    settings: { indexer: { WEBHOOK_RETRY_SCHEDULE: '0s,1s,2s,3s,4s' } },
  })
  return { value: { devnet, descriptionFile: join(directory, 'devnet.json') }, stop: devnet.stop }
})
