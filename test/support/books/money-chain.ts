import type { Schema } from '../../../api/client/schema.ts'
import type { Address } from '../../../shared/domain/address.ts'
import type { Network, Token } from '../../../shared/domain/networks.ts'

/** A transfer that a chain has logged. */
export type LoggedTransfer = { readonly from: Address; readonly to: Address; readonly amountAtto: bigint }

/** A chain as payers, keepers and issuers use it. Amounts are in 10^-18 of the token. */
export type MoneyChain = {
  readonly network: Network
  readonly tokens: readonly Token[]
  /** The token whose issuer stops recipients here, if one does. */
  readonly restrictable: Token | null
  readonly decimals: 6 | 18
  /** The smallest amount that a payer can send. */
  readonly unitAtto: bigint
  /** They only pay charges, so their balances change by payments and refunds alone. */
  readonly payers: readonly Address[]
  /** Pays tokens that a charge does not accept, which are in no books. */
  readonly strayPayer: Address
  readonly pay: (payment: {
    readonly token: Token
    readonly to: string
    readonly payer: Address
    readonly amountAtto: bigint
  }) => Promise<void>
  /** Distributes a charge's split in the name of any account, which receives the incentive, unless we did before. */
  readonly distribute: (distribution: {
    readonly charge: Schema<'Charge'>
    readonly token: Token
    readonly distributor: Address
  }) => Promise<void>
  /** Pays a share that the split holds; has no effect if it was paid before. Anyone can do this. */
  readonly release: (share: {
    readonly charge: Schema<'Charge'>
    readonly token: Token
    readonly recipient: Address
  }) => Promise<void>
  /** Lets the issuer of the restrictable token stop an account, or allow it again. */
  readonly restrict: (account: Address, isRestricted: boolean) => Promise<void>
  /** Resolves when a block contains everything that was sent here. */
  readonly untilMined: () => Promise<void>
  readonly listTransfers: (token: Token) => Promise<readonly LoggedTransfer[]>
  /** What an account would hold if gas cost nothing. */
  readonly readBalance: (token: Token, account: Address) => Promise<bigint>
}
