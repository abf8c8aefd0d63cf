import { getSplitRole, type SplitTermsOf } from '../accounting/split-roles.ts'
import type { Address } from '../address.ts'

/** The addresses of a refund that its destination must not be. */
export type RefundParties = {
  readonly charge: SplitTermsOf & { readonly address: Address; readonly splitAddress: Address }
  /** The contracts of the chain's tokens. */
  readonly contracts: readonly Address[]
  readonly sender: Address
}

/** Precompiled contracts, and addresses that future ones are expected to have, are below this number. */
const MAX_PRECOMPILE = 0xffffn

/**
 * Returns why money must not be refunded to an address; `null` if nothing is known against it. Pure.
 *
 * Each of these addresses would lose the money, or return it to this service. The addresses of other charges are in the
 * database, and the caller must check them.
 */
export function findDestinationProblem(destination: Address, parties: RefundParties): string | null {
  const { charge, contracts, sender } = parties
  if (BigInt(destination) <= MAX_PRECOMPILE) return 'the zero address or a precompiled contract'
  if (contracts.includes(destination)) return 'the contract of a token'
  if (destination === charge.address || destination === charge.splitAddress)
    return 'the address of the charge itself'
  if (destination === charge.splitTerms.factory) return 'the factory of this service'
  if (destination === sender) return 'the wallet that pays the refund'
  const isPaid = charge.splitTerms.recipients.some((recipient) => recipient === destination)
  return isPaid && getSplitRole(charge, destination) === 'treasury' ? 'the treasury of this service' : null
}
