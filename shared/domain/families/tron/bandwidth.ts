import type { Address, Hex } from '../../address.ts'
import { encodeSignedTransaction, encodeTronCall, type TronCall } from './raw-transaction.ts'

/** Price of a byte that no quota covers, in sun. A chain parameter (`getTransactionFee`), November 2026. */
const SUN_PER_BYTE = 1_000n

/** Bytes that the network counts for the result of each call. Source: java-tron, `Constant.MAX_RESULT_SIZE_IN_TX`. */
const RESULT_BYTES = 64n

/** Returns the bytes of bandwidth that a signed transaction takes, its result included. */
export function bandwidthOf(signedTransaction: Hex): bigint {
  return BigInt((signedTransaction.length - 2) / 2) + RESULT_BYTES
}

/** Returns the most bytes of bandwidth that a call of these addresses and data takes once it is signed. */
export function bandwidthOfCall(call: {
  readonly owner: Address
  readonly to: Address
  readonly data: Hex
}): bigint {
  const rawData = encodeTronCall({ ...call, ...LONGEST_FRAME })
  return bandwidthOf(encodeSignedTransaction({ rawData, signature: `0x${'ff'.repeat(65)}` }))
}

/** The longest encoding of everything that is not known before the signature: times until 2109, the highest fee limit. */
const LONGEST_FRAME: Omit<TronCall, 'owner' | 'to' | 'data'> = {
  ...{ valueSun: 0n, refBlockBytes: '0xffff', refBlockHash: '0xffffffffffffffff' },
  ...{ expirationMs: 2n ** 42n - 1n, timestampMs: 2n ** 42n - 1n, feeLimitSun: 15_000_000_000n },
}

/**
 * Returns the TRX that bytes of bandwidth burn, in sun.
 *
 * Bandwidth is all or nothing (java-tron, `BandwidthProcessor.consume`): a transaction is covered whole by one quota, the
 * staked or the free one, or it burns TRX for all of its bytes. The 600 free bytes of a day cover no payout, whose
 * shortest has about 795.
 *
 * @param quotaBytes - bytes left in the larger of the two quotas; they do not add up
 */
export function bandwidthFeeSun(bytes: bigint, quotaBytes: bigint): bigint {
  return bytes <= quotaBytes ? 0n : bytes * SUN_PER_BYTE
}
