import type { Address, Hex } from '../../address.ts'
import { encodeSignedTransaction, encodeTronCall, type TronCall } from './raw-transaction.ts'

/** Price, in sun, of a byte that no quota covers: a chain parameter (`getTransactionFee`), as of November 2026. */
const SUN_PER_BYTE = 1_000n

/**
 * Bytes that the network adds to each transaction for the result of its call. Source: java-tron,
 * `Constant.MAX_RESULT_SIZE_IN_TX`.
 */
const RESULT_BYTES = 64n

/** Returns the bandwidth in bytes that a signed transaction uses, including its result. */
export function getBandwidth(signedTransaction: Hex): bigint {
  return BigInt((signedTransaction.length - 2) / 2) + RESULT_BYTES
}

/** Returns the maximum bandwidth, in bytes, of a signed transaction with this call. */
export function bandwidthOfCall(call: {
  readonly owner: Address
  readonly to: Address
  readonly data: Hex
}): bigint {
  const rawData = encodeTronCall({ ...call, ...LONGEST_FRAME })
  return getBandwidth(encodeSignedTransaction({ rawData, signature: `0x${'ff'.repeat(65)}` }))
}

/** The longest encodings of the values that are unknown before signing: times until 2109, and the highest fee limit. */
const LONGEST_FRAME: Omit<TronCall, 'owner' | 'to' | 'data'> = {
  ...{ valueSun: 0n, refBlockBytes: '0xffff', refBlockHash: '0xffffffffffffffff' },
  ...{ expirationMs: 2n ** 42n - 1n, timestampMs: 2n ** 42n - 1n, feeLimitSun: 15_000_000_000n },
}

/**
 * Returns the TRX that is burned for the given bytes of bandwidth, in sun.
 *
 * Bandwidth is all or nothing (java-tron, `BandwidthProcessor.consume`). Either one quota, staked or free, covers the
 * whole transaction, or the transaction burns TRX for all of its bytes. The 600 free bytes of a day do not cover a
 * payout, because the shortest payout has about 795 bytes.
 *
 * @param quotaBytes - bytes left in the larger of the two quotas, which cannot be combined
 */
export function bandwidthFeeSun(bytes: bigint, quotaBytes: bigint): bigint {
  return bytes <= quotaBytes ? 0n : bytes * SUN_PER_BYTE
}
