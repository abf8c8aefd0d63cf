import { BaseError, encodeFunctionData } from 'viem'
import { paymentSplitAbi } from '../../shared/chain/abi/payment-split.ts'
import { findRevert, type SimulatedCall } from '../../shared/chain/nodes/simulate.ts'
import type { HeldShare } from '../../shared/db/payouts/daemon/held-shares.ts'
import type { Relayer } from '../relayer/relayer.ts'

export type ReleaseSimulation =
  | { readonly type: 'ready'; readonly call: SimulatedCall }
  /** The split holds nothing for the recipient, because the share was already released. */
  | { readonly type: 'nothing' }
  /** The recipient still cannot be paid. */
  | { readonly type: 'restricted'; readonly error: string }
  /** No quorum returned a result, so the outcome is unknown. */
  | { readonly type: 'unreachable'; readonly error: string }

/** Simulates the release of a held share against the newest block. */
export async function simulateRelease(
  relayer: Pick<Relayer, 'simulate'>,
  { splitAddress, tokenAddress, recipient, hasReverted }: HeldShare,
): Promise<ReleaseSimulation> {
  const call = { abi: paymentSplitAbi, functionName: 'release', args: [tokenAddress, recipient] } as const
  try {
    const bytes = { to: splitAddress, data: encodeFunctionData(call), isDoubted: hasReverted }
    return { type: 'ready', call: await relayer.simulate(bytes, call) }
  } catch (error) {
    if (!(error instanceof BaseError)) throw error
    return explain(error)
  }
}

function explain(error: BaseError): ReleaseSimulation {
  const revert = findRevert(error)
  if (revert === null) return { type: 'unreachable', error: error.shortMessage }
  const { name, message } = revert
  return name === 'NothingHeld' ? { type: 'nothing' } : { type: 'restricted', error: name ?? message }
}
