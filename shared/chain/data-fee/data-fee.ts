import type { Address, Hex } from '../../domain/address.ts'

/** An unsigned transaction. */
export type PostedCall = { readonly to: Address; readonly data: Hex; readonly gas: bigint }

/** Cost of posting a transaction to the parent chain. Either part may be zero. */
export type DataFee = {
  /** Units of gas that a gas estimate already includes. */
  readonly gas: bigint
  /** Charged in addition to the gas, in wei. */
  readonly besideWei: bigint
}
