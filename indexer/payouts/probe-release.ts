import { BaseError, encodeFunctionData } from 'viem'
import { paymentSplitAbi } from '../../shared/chain/abi/payment-split.ts'
import type { ChainClient } from '../../shared/chain/client.ts'
import { estimateGas, revertOf } from '../../shared/chain/simulate.ts'
import type { HeldShare } from '../../shared/db/payouts/daemon/held-shares.ts'
import type { Address, Hex } from '../../shared/domain/address.ts'

/** What releasing would do now. */
export type ReleaseProbe =
  | {
      readonly type: 'ready'
      readonly call: { readonly to: Address; readonly data: Hex; readonly gas: bigint }
    }
  /** Somebody has done it. */
  | { readonly type: 'nothing' }
  /** The recipient still cannot be paid. */
  | { readonly type: 'restricted'; readonly error: string }
  /** The chain could not be asked: nothing is known. */
  | { readonly type: 'unreachable'; readonly error: string }

/** Simulates the release of a held share against the newest block. */
export async function probeRelease(
  client: ChainClient,
  { splitAddress, tokenAddress, recipient }: HeldShare,
  sender: Address,
): Promise<ReleaseProbe> {
  const call = { abi: paymentSplitAbi, functionName: 'release', args: [tokenAddress, recipient] } as const
  try {
    await client.simulateContract({ ...call, address: splitAddress, account: sender })
    const data = encodeFunctionData(call)
    const gas = await estimateGas(client, { to: splitAddress, data, account: sender })
    return { type: 'ready', call: { to: splitAddress, data, gas } }
  } catch (error) {
    if (!(error instanceof BaseError)) throw error
    return explain(error)
  }
}

function explain(error: BaseError): ReleaseProbe {
  const revert = revertOf(error)
  if (revert === null) return { type: 'unreachable', error: error.shortMessage }
  const { name, message } = revert
  return name === 'NothingHeld' ? { type: 'nothing' } : { type: 'restricted', error: name ?? message }
}
