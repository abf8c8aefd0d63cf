import type { Address, Hex } from '../../shared/domain/address.ts'

/** Operations of a rescue on a chain. Transactions are signed with the operator's key. */
export type Rescuer = {
  /** The account that pays for the transactions and receives the incentive. */
  readonly account: Address
  /** Returns an account's balance of a token or the native coin, in atomic units. */
  readonly balanceOf: (of: { readonly token: Address; readonly account: Address }) => Promise<bigint>
  readonly decimalsOf: (token: Address) => Promise<number>
  /**
   * Deploys our factory and returns the transaction's hash, or `null` if the factory exists. The member itself is
   * `null` for a family whose factory has no fixed address.
   */
  readonly deployFactory: (() => Promise<Hex | null>) | null
  /**
   * Simulates a distribution, signs and sends its transaction, and waits until a block contains it.
   *
   * @throws {BaseError} from viem if the call would revert or exceeds its gas or fee limit, if no node responds, or if
   * no block contains the transaction in time
   */
  readonly send: (call: RescueCall) => Promise<{ readonly txHash: Hex; readonly isSuccess: boolean }>
}

/** The call of a distribution. */
export type RescueCall = {
  readonly to: Address
  readonly data: Hex
  readonly recipients: number
  /** The operator's gas limit; `null` for the default, which depends on the number of recipients. EVM only. */
  readonly maxGas: bigint | null
}
