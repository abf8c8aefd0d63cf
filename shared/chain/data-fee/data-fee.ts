import type { Address, Hex } from '../../domain/address.ts'

/** A transaction that is not signed yet. */
export type PostedCall = { readonly to: Address; readonly data: Hex; readonly gas: bigint }

/** What posting a transaction to the chain below costs; either part may be nothing. */
export type DataFee = {
  /** Units that an estimate of gas holds for it already. */
  readonly gas: bigint
  /** Charged beside the gas, in wei. */
  readonly besideWei: bigint
}
