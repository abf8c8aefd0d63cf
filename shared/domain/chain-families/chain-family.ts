import type { Address, ChainFamilyName, Hex } from '../address.ts'
import type { TransactionSource } from '../charge.ts'
import type { AtomicUnits } from '../money.ts'
import type { SplitDeployment } from '../split-address.ts'

/**
 * All differences between chain families, for code that is independent of the family.
 *
 * A test ensures that only this folder and a few tables distinguish families or networks by name.
 */
export type ChainFamily = {
  /** Whether charges can be created on the family's networks, where the service must support monitoring and payouts. */
  readonly isPayable: boolean
  /** Whether a Safe can hold an escrow on the family's networks. */
  readonly hasEscrow: boolean
  /** Whether wallets sign typed data (EIP-712), and contracts check signatures (ERC-1271). */
  readonly hasTypedData: boolean
  /** The option of `npm run keys` for a key's payout address in this family. */
  readonly payoutOption: `${string}payout-address`
  /**
   * Whether the API's `transferability` endpoint queries the issuers on the family's networks. The specification
   * requires an empty list for a TRON address.
   */
  readonly tellsTransferability: boolean
  /** Whether a page can pass raw call data to wallets of this family. */
  readonly takesCallData: boolean
  /** Whether a block's header commits to the receipts of its transactions, so that a log can be proven. */
  readonly provesReceipts: boolean
  /** Whether the family's nodes serve the state after earlier blocks, not only after the latest. */
  readonly hasPastState: boolean
  /** Source that the API reports for a transaction found by the feed (decisions 8.3). */
  readonly transferSource: TransactionSource
  /** Name of the setting with the recipient of the service's fee; required if a pair of the family is enabled. */
  readonly treasurySetting: string
  /** Describes valid input of `parseAddress`, for error messages. */
  readonly addressForm: string
  /** A regular expression that every formatted address matches. */
  readonly addressPattern: string
  /** Parses an address as the users of the family write it; returns `null` for any other text. */
  readonly parseAddress: (text: string) => Address | null
  readonly presentAddress: (address: Address) => string
  readonly presentTransactionHash: (hash: Hex) => string
  readonly transactionUrl: (place: { readonly explorer: string; readonly hash: Hex }) => string
  /** Limits that a keeper's own distribution transaction needs in addition to its call (decisions 8.3). */
  readonly callLimits: (call: { readonly recipients: number }) => { readonly feeLimit?: string }
  /** Returns the payment URI for a wallet's QR code. */
  readonly paymentUri: (payment: Payment) => string
  /** Address of our factory on every network of the family; `null` if the address differs between networks. */
  readonly fixedFactory: Address | null
  /** Returns the on-chain code that our factory must have; `null` if the factory is unknown. */
  readonly splitCodeOf: (factory: Address) => SplitCode | null
  /** Returns the address of a charge's split; `null` if the factory is unknown. */
  readonly predictSplit: (place: SplitDeployment) => Address | null
}

/**
 * Keccak256 code hashes of a factory and of the implementation that its splits run, and the implementation's address.
 */
export type SplitCode = {
  readonly factoryCodeHash: Hex
  readonly implementation: Address
  readonly implementationCodeHash: Hex
}

export type Payment = {
  readonly chainId: number
  readonly tokenAddress: Address
  readonly decimals: number
  readonly recipient: Address
  readonly amountAtomic: AtomicUnits
}

/** One row per family, required by the compiler. */
export type ChainFamilies = Readonly<Record<ChainFamilyName, ChainFamily>>
