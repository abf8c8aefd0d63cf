import type { Address, ChainFamilyName, Hex } from '../address.ts'
import type { TransactionSource } from '../charge.ts'
import type { AtomicUnits } from '../money.ts'
import type { SplitDeployment } from '../split-address.ts'

/**
 * All differences between chain families, for code that is independent of the family.
 *
 * A test ensures that no other file compares the name of a family or network. CONTRIBUTING.md describes how to add a
 * family.
 */
export type ChainFamily = {
  /** Whether charges can be created on the family's networks, which requires both monitoring and payouts. */
  readonly isPayable: boolean
  /** Whether a Safe can hold an escrow on the family's networks. */
  readonly hasEscrow: boolean
  /** Whether wallets sign typed data (EIP-712), and contracts check signatures (ERC-1271). */
  readonly hasTypedData: boolean
  /** The option of `npm run keys` for a key's payout address in this family. */
  readonly payoutOption: `${string}payout-address`
  /**
   * Whether `transferability` queries the issuers on the family's networks (specification: it is empty for a TRON
   * address).
   */
  readonly tellsTransferability: boolean
  /** Whether wallets of this family send raw call data, which a page can pass to them. */
  readonly takesCallData: boolean
  /** Whether a block's header commits to the receipts of its transactions, so that a log can be proven. */
  readonly provesReceipts: boolean
  /** Whether the family's nodes serve historical state: the state after earlier blocks, not only after the latest. */
  readonly hasPastState: boolean
  /** The source that the API shows for a transaction if the feed has seen the payment (decisions 8.3). */
  readonly transferSource: TransactionSource
  /** Name of the setting with the recipient of the service's fee; required if a pair is enabled. */
  readonly treasurySetting: string
  /** Describes valid input of `parseAddress`, for error messages. */
  readonly addressForm: string
  /** A regular expression that every formatted address matches. */
  readonly addressPattern: string
  /** Parses an address as the users of the family write it; returns `null` for any other text. */
  readonly parseAddress: (text: string) => Address | null
  readonly presentAddress: (address: Address) => string
  /** Formats the hash of a transaction as the users of the family write it. */
  readonly presentTransactionHash: (hash: Hex) => string
  /** Returns the URL of a transaction in an explorer of the family. */
  readonly transactionUrl: (place: { readonly explorer: string; readonly hash: Hex }) => string
  /**
   * Limits that a distribution transaction needs in addition to its call, for keepers who send their own transaction
   * (decisions 8.3).
   */
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
 * Code hash of a factory, and address and code hash of the implementation that its splits run. Hashes are keccak256.
 */
export type SplitCode = {
  readonly factoryCodeHash: Hex
  readonly implementation: Address
  readonly implementationCodeHash: Hex
}

/** The payment that a wallet must send. */
export type Payment = {
  readonly chainId: number
  readonly tokenAddress: Address
  readonly decimals: number
  readonly recipient: Address
  readonly amountAtomic: AtomicUnits
}

/** Requires one row per family at compile time. */
export type ChainFamilies = Readonly<Record<ChainFamilyName, ChainFamily>>
