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
 * A devnet with only live networks, payment by signature and a swap provider, which runs the built processes. Starting
 * one takes 15 s of CPU time, and running it 0.15 s per second (2026-11-23).
 *
 * Each test file that uses it creates its own charges, keys and webhooks, deletes its webhooks, which otherwise receive
 * five attempts of each later event, and leaves both processes running.
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
