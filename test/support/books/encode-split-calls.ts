import { encodeFunctionData } from 'viem'
import type { Schema } from '../../../api/client/schema.ts'
import { paymentSplitAbi } from '../../../shared/chain/abi/payment-split.ts'
import type { Address, Hex } from '../../../shared/domain/address.ts'
import { encodeDistribution } from '../../../shared/domain/distribution-call.ts'
import { addressOf, splitOf } from '../random-terms.ts'

/**
 * A gas limit that suffices for a distribution or a release. Without a limit, the node would refuse a call that reverts
 * during the gas estimate.
 */
export const KEEPER_GAS = 1_500_000n

type Call = { readonly to: Address; readonly data: Hex }

/** Encodes the call to the factory that anyone can send to distribute a charge's split. */
export function encodeChargeDistribution(
  charge: Schema<'Charge'>,
  { token, distributor }: { readonly token: string; readonly distributor: Address },
): Call {
  const { salt, factory } = charge.addressTerms
  const data = encodeDistribution({
    ...{ split: splitOf({ charge }), salt: salt as Hex },
    ...{ token: addressOf(token), distributor },
  })
  return { to: addressOf(factory), data }
}

/** Encodes the call to the split that anyone can send to pay a held share. */
export function encodeChargeRelease(
  charge: Schema<'Charge'>,
  { token, recipient }: { readonly token: string; readonly recipient: Address },
): Call {
  const args = [addressOf(token), recipient] as const
  const data = encodeFunctionData({ abi: paymentSplitAbi, functionName: 'release', args })
  return { to: addressOf(charge.addressTerms.splitAddress), data }
}
