import type { Address, Hex } from '../../domain/address.ts'

/** An unsigned transaction. */
export type PostedCall = { readonly to: Address; readonly data: Hex; readonly gas: bigint }

/** Cost of posting a transaction to the parent chain; either part may be zero. */
export type DataFee = {
  /** Gas units that are already part of a gas estimate. */
  readonly gas: bigint
  /** Charged in addition to the gas, in wei. */
  readonly besideWei: bigint
}
