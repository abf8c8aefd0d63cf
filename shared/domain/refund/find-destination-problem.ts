import { getSplitRole, type SplitTermsOf } from '../accounting/split-roles.ts'
import type { Address } from '../address.ts'
import { SAFE_CONTRACTS } from '../escrow-address.ts'
import { PERMIT2 } from '../swap/permit2.ts'
import { SWAP_TOKEN_FACTS } from '../swap/swap-tokens.ts'

/** Addresses that must not be the destination of a refund. */
export type RefundParties = {
  readonly charge: SplitTermsOf & { readonly address: Address; readonly splitAddress: Address }
  /** The contracts of the chain's tokens. */
  readonly contracts: readonly Address[]
  readonly sender: Address
}

/**
 * Lowest address that can be a wallet. The precompiled contracts of all chains have lower addresses (above 0xffff on
 * TRON and Arbitrum), and no one can find a key whose address has 12 leading zero bytes.
 */
const FIRST_WALLET = 1n << 64n
/** Contracts that come with a chain, such as 0x4200…0006 on the OP stack and 0x1800…0000 on Arc. */
const PREDEPLOY = /^0x[0-9a-f]{4}0{32}[0-9a-f]{4}$/

/** Contracts with the same address on every EVM chain. Tokens that are sent to them are lost. */
const COMMON_CONTRACTS: ReadonlySet<string> = new Set([
  ...Object.values(SAFE_CONTRACTS),
  PERMIT2,
  // Multicall3, and the AllowanceHolder of 0x.
  '0xca11bde05977b3631167028862be2a173976ca11',
  '0x0000000000001ff3684f28c67538d4d072c22734',
])

/** The contracts of all tokens that payers can swap, on any chain. */
const SWAP_TOKENS: ReadonlySet<string> = new Set(
  Object.values(SWAP_TOKEN_FACTS).flatMap((tokens) =>
    Object.values(tokens).map(({ address }) => address.toLowerCase()),
  ),
)

/**
 * Returns a description of an address that must not receive a refund, such as `the contract of a token`; `null` for any
 * other address. Pure.
 *
 * A refund to such an address would be lost, or would return the money to this service or to the merchant. The caller
 * must also check the addresses of the service and of other charges, which are in the database. The settler contracts
 * of 0x are not checked, because their addresses change with each version.
 */
export function findDestinationProblem(destination: Address, parties: RefundParties): string | null {
  const { charge, contracts, sender } = parties
  if (BigInt(destination) < FIRST_WALLET || PREDEPLOY.test(destination))
    return 'the zero address or a precompiled contract'
  if (contracts.includes(destination) || SWAP_TOKENS.has(destination)) return 'the contract of a token'
  if (COMMON_CONTRACTS.has(destination)) return 'a contract that keeps what is sent to it'
  if (destination === charge.address || destination === charge.splitAddress)
    return 'the address of the charge itself'
  if (destination === charge.splitTerms.factory) return 'the factory of this service'
  if (destination === sender) return 'the wallet that pays the refund'
  const isPaid = charge.splitTerms.recipients.some((recipient) => recipient === destination)
  if (!isPaid) return null
  const role = getSplitRole(charge, destination)
  if (role === 'treasury') return 'the treasury of this service'
  return role === 'merchant' ? 'the wallet of the merchant' : null
}
