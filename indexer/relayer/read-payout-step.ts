import { decodeFunctionData, encodeFunctionData } from 'viem'
import { paymentSplitAbi } from '../../shared/chain/abi/payment-split.ts'
import { paymentSplitFactoryAbi } from '../../shared/chain/abi/payment-split-factory.ts'
import { type Address, type Hex, parseEvmAddress } from '../../shared/domain/address.ts'
import { ANY_DISTRIBUTOR } from '../../shared/domain/distribution-call.ts'
import type { SplitDeployment } from '../../shared/domain/split-address.ts'

type Call = { readonly to: Address; readonly data: Hex }

/**
 * A call that pays recipients of a split, on any chain family. For a distribution, the split's address is computed from
 * the terms in the call.
 */
export type PayoutStep =
  | {
      readonly kind: 'distribution'
      readonly splitAddress: Address
      readonly token: Address
      readonly distributor: Address
    }
  | { readonly kind: 'release'; readonly splitAddress: Address; readonly token: Address }

/** Returns the future address of a split, or `null` for an unknown factory. */
type Predict = (place: SplitDeployment) => Address | null

/**
 * Decodes the payout that a call makes; returns `null` if the call makes none.
 *
 * Pure. Encoding the decoded values again must yield the same bytes, because another decoder might interpret surplus
 * bytes differently.
 */
export function readPayoutStep(call: Call, predictSplit: Predict): PayoutStep | null {
  return readDistribution(call, predictSplit) ?? readRelease(call)
}

function readDistribution({ to, data }: Call, predictSplit: Predict): PayoutStep | null {
  const read = catchToNull(() => {
    const { functionName, args } = decodeFunctionData({ abi: paymentSplitFactoryAbi, data })
    const isExact =
      functionName === 'createAndDistribute' &&
      encodeFunctionData({ abi: paymentSplitFactoryAbi, functionName, args }) === data
    return isExact ? args : null
  })
  if (read === null) return null
  const [terms, salt, tokens, distributor] = read
  const [token, ...others] = tokens
  if (token === undefined || others.length > 0) return null
  const split = {
    recipients: terms.recipients.map(toLowercase),
    allocations: terms.allocations.map(Number),
    totalAllocation: Number(terms.totalAllocation),
    distributionIncentive: terms.distributionIncentive,
  }
  // `predictSplit` throws for terms that the contract would reject.
  const splitAddress = catchToNull(() => predictSplit({ factory: to, split, salt }))
  if (splitAddress === null) return null
  return {
    kind: 'distribution',
    splitAddress,
    token: toLowercase(token),
    distributor: toLowercase(distributor),
  }
}

function readRelease({ to, data }: Call): PayoutStep | null {
  const read = catchToNull(() => {
    const { functionName, args } = decodeFunctionData({ abi: paymentSplitAbi, data })
    const isExact =
      functionName === 'release' && encodeFunctionData({ abi: paymentSplitAbi, functionName, args }) === data
    return isExact ? args : null
  })
  return read && { kind: 'release', splitAddress: to, token: toLowercase(read[0]) }
}

/** Returns `null` if `read` throws, as a decoder does for the bytes of another function. */
export function catchToNull<Value>(read: () => Value | null): Value | null {
  try {
    return read()
  } catch {
    return null
  }
}

/** Converts a decoded address to lower case, the form in which we store addresses. */
export function toLowercase(text: string): Address {
  return parseEvmAddress(text.toLowerCase()) ?? ANY_DISTRIBUTOR
}
