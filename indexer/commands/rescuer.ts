import type { Address, Hex } from '../../shared/domain/address.ts'

/** What a rescue needs of a chain, asked of its nodes and signed with an operator's key. */
export type Rescuer = {
  /** Who pays for the transactions, and gets the incentive. */
  readonly account: Address
  /** What an account holds of a token, or of the native coin, in atomic units. */
  readonly balanceOf: (of: { readonly token: Address; readonly account: Address }) => Promise<bigint>
  readonly decimalsOf: (token: Address) => Promise<number>
  /**
   * Puts our factory there and answers the transaction, `null` if it was there. `null` itself where no second one would
   * stand at the same address.
   */
  readonly deployFactory: (() => Promise<Hex | null>) | null
  /**
   * Tries a distribution, signs it and waits for a block.
   *
   * @throws {BaseError} viem's, if it would revert, takes too much, or no node answers
   */
  readonly send: (call: RescueCall) => Promise<{ readonly txHash: Hex; readonly isSuccess: boolean }>
}

/** A distribution as it is sent. */
export type RescueCall = {
  readonly to: Address
  readonly data: Hex
  readonly recipients: number
  /** The operator's own gas limit; `null` for the default, which grows with the recipients. EVM only. */
  readonly maxGas: bigint | null
}
