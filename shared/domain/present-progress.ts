import type { Network } from './networks.ts'

/** Shows how deep a transfer is that is not yet credited: the specification's ConfirmationProgress. */
export function presentProgress({
  network,
  blocksSeen,
  blocksRequired,
}: {
  readonly network: Network
  readonly blocksSeen: number
  readonly blocksRequired: number
}) {
  const seen = Math.min(blocksSeen, blocksRequired)
  // Deep enough is not yet credited, and 100 would promise that.
  return {
    network,
    blocksSeen: seen,
    blocksRequired,
    percent: Math.min(99, Math.floor((100 * seen) / blocksRequired)),
  }
}
