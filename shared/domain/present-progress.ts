import type { Network } from './networks.ts'

type Progress = { readonly network: Network; readonly blocksSeen: number; readonly blocksRequired: number }

/** Builds the specification's ConfirmationProgress of a transfer that is not credited yet. */
export function presentProgress({ network, blocksSeen, blocksRequired }: Progress) {
  const seen = Math.min(blocksSeen, blocksRequired)
  // At most 99 %: a transfer with enough confirmations might not be credited yet, and 100 % would promise a credit.
  return {
    network,
    blocksSeen: seen,
    blocksRequired,
    percent: Math.min(99, Math.floor((100 * seen) / blocksRequired)),
  }
}
