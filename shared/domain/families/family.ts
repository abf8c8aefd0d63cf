import type { Address, AddressFamily, Hex } from '../address.ts'
import type { TransactionSource } from '../charge.ts'
import type { AtomicUnits } from '../money.ts'
import type { SplitPlace } from '../split-address.ts'

/**
 * All in which one family of chains differs from another, for whoever knows no family by name.
 *
 * A third one is a folder beside the others and a row of `FAMILIES`; a test holds every other file to ask no family
 * and no network for its name.
 */
export type Family = {
  /** Whether charges can be made on its networks, which needs watching and paying out alike. */
  readonly isPayable: boolean
  /** Whether a Safe can keep an escrow there. */
  readonly hasEscrow: boolean
  /** The option of `npm run keys` that names a key's payout address of this family. */
  readonly payoutOption: string
  /** Whether `transferability` asks issuers there (specification: it is empty for a TRON address). */
  readonly tellsTransferability: boolean
  /** Whether a payer's wallet sends a call as its bytes, which a page can hand to it. */
  readonly takesCallData: boolean
  /** Whether its nodes answer of the state after an earlier block than the latest. */
  readonly hasPastState: boolean
  /** As whose find the API shows a payment that the feed saw there (decisions 8.3). */
  readonly transferSource: TransactionSource
  /** The setting that names where the service's fee goes; needed where a pair is enabled. */
  readonly treasurySetting: string
  /** What `parseAddress` reads, for who wrote something else. */
  readonly addressForm: string
  /** A regular expression that every address it writes matches. */
  readonly addressPattern: string
  /** Reads an address as its users write it, or answers `null`. */
  readonly parseAddress: (text: string) => Address | null
  readonly presentAddress: (address: Address) => string
  /** Writes the hash of a transaction as its users know it. */
  readonly presentTransactionHash: (hash: Hex) => string
  /** Where an explorer of the family shows a transaction. */
  readonly transactionUrl: (place: { readonly explorer: string; readonly hash: Hex }) => string
  /** What a transaction that distributes needs beside its call, for who makes one by himself (decisions 8.3). */
  readonly callLimits: (call: { readonly recipients: number }) => { readonly feeLimit?: string }
  /** What wallets read from a QR code. */
  readonly paymentUri: (payment: Payment) => string
  /** Where our factory stands on every network of the family; `null` where it is never twice at the same address. */
  readonly fixedFactory: Address | null
  /** What stands on chain if this factory is ours; `null` if no code of ours is behind it. */
  readonly splitCodeOf: (factory: Address) => SplitCode | null
  /** Where a charge's split will stand; `null` if no code of ours is behind the factory. */
  readonly predictSplit: (place: SplitPlace) => Address | null
}

/** Of a factory: the code that it is, and where the code stands that all its splits run. Hashes are keccak256. */
export type SplitCode = {
  readonly factoryCodeHash: Hex
  readonly implementation: Address
  readonly implementationCodeHash: Hex
}

/** What a wallet is asked to send. */
export type Payment = {
  readonly chainId: number
  readonly tokenAddress: Address
  readonly decimals: number
  readonly recipient: Address
  readonly amountAtomic: AtomicUnits
}

/** One row for each, or it does not compile. */
export type Families = Readonly<Record<AddressFamily, Family>>
