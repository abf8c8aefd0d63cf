import type { Schema } from '../../../api/client/schema.ts'
import type { Address } from '../../../shared/domain/address.ts'
import type { Network, Token } from '../../../shared/domain/networks.ts'

export type LoggedTransfer = { readonly from: Address; readonly to: Address; readonly amountAtto: bigint }

/** A chain as payers, keepers and issuers use it. Amounts are in 10^-18 of a token. */
export type MoneyChain = {
  readonly network: Network
  readonly tokens: readonly Token[]
  /** The token whose issuer can restrict accounts on this chain, if there is one. */
  readonly restrictable: Token | null
  readonly decimals: 6 | 18
  /** The smallest amount that a payer can send. */
  readonly unitAtto: bigint
  /** These accounts only pay charges, so only payments and refunds change their balances. */
  readonly payers: readonly Address[]
  /** This account sends transfers that do not count as payments and appear in no books. */
  readonly strayPayer: Address
  readonly pay: (payment: {
    readonly token: Token
    readonly to: string
    readonly payer: Address
    readonly amountAtto: bigint
  }) => Promise<void>
  /**
   * Distributes a charge's split. The distributor, which can be any account, receives the incentive. Has no effect if
   * the service was faster.
   */
  readonly distribute: (distribution: {
    readonly charge: Schema<'Charge'>
    readonly token: Token
    readonly distributor: Address
  }) => Promise<void>
  /** Pays out a share that the split holds, as anyone can. Has no effect if the share was paid out before. */
  readonly release: (share: {
    readonly charge: Schema<'Charge'>
    readonly token: Token
    readonly recipient: Address
  }) => Promise<void>
  /** Makes the issuer of the restrictable token restrict an account, or allow it again. */
  readonly restrict: (account: Address, isRestricted: boolean) => Promise<void>
  /** Resolves when every transaction sent through this object is mined. */
  readonly untilMined: () => Promise<void>
  readonly listTransfers: (token: Token) => Promise<readonly LoggedTransfer[]>
  /** Returns the balance that an account would have if gas cost nothing. */
  readonly readBalance: (token: Token, account: Address) => Promise<bigint>
}
