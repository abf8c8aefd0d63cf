import { decodeFunctionData, encodeFunctionData } from 'viem'
import { paymentSplitAbi } from '../../shared/chain/abi/payment-split.ts'
import { paymentSplitFactoryAbi } from '../../shared/chain/abi/payment-split-factory.ts'
import { type Address, type Hex, parseEvmAddress } from '../../shared/domain/address.ts'
import { NOBODY } from '../../shared/domain/distribution-call.ts'
import type { SplitPlace } from '../../shared/domain/split-address.ts'

type Call = { readonly to: Address; readonly data: Hex }

/** What pays somebody out of a split, on every family of chains; the split is computed. */
export type PayoutStep =
  | {
      readonly kind: 'distribution'
      readonly splitAddress: Address
      readonly token: Address
      readonly distributor: Address
    }
  | { readonly kind: 'release'; readonly splitAddress: Address; readonly token: Address }

/** Where a split will stand; `null` if no code of ours is behind the factory. */
type Predict = (place: SplitPlace) => Address | null

/**
 * Reads which payout a call makes, or answers `null` if it makes none.
 *
 * Pure. Written again from what was read, the bytes must be the same: nothing is left over that another reader could
 * take for something else.
 */
export function readPayoutStep(call: Call, predictSplit: Predict): PayoutStep | null {
  return readDistribution(call, predictSplit) ?? readRelease(call)
}

function readDistribution({ to, data }: Call, predictSplit: Predict): PayoutStep | null {
  const read = orNull(() => {
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
    recipients: terms.recipients.map(lower),
    allocations: terms.allocations.map(Number),
    totalAllocation: Number(terms.totalAllocation),
    distributionIncentive: terms.distributionIncentive,
  }
  // It throws for terms that the contract would not take.
  const splitAddress = orNull(() => predictSplit({ factory: to, split, salt }))
  if (splitAddress === null) return null
  return { kind: 'distribution', splitAddress, token: lower(token), distributor: lower(distributor) }
}

function readRelease({ to, data }: Call): PayoutStep | null {
  const read = orNull(() => {
    const { functionName, args } = decodeFunctionData({ abi: paymentSplitAbi, data })
    const isExact =
      functionName === 'release' && encodeFunctionData({ abi: paymentSplitAbi, functionName, args }) === data
    return isExact ? args : null
  })
  return read && { kind: 'release', splitAddress: to, token: lower(read[0]) }
}

/** Answers what `read` does, or `null` if it throws, as a decoder does for bytes that are none of its function. */
export function orNull<Value>(read: () => Value | null): Value | null {
  try {
    return read()
  } catch {
    return null
  }
}

/** An address as a decoder answers it, the way addresses are kept. */
export function lower(text: string): Address {
  return parseEvmAddress(text.toLowerCase()) ?? NOBODY
}
