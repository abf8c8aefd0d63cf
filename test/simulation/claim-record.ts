import type { Address } from '../../shared/domain/address.ts'

/** An address that a payer gave through a link, and what the payer was told. */
type Given = { readonly refundId: string; readonly link: string; readonly address: Address }

export type ClaimRecord = ReturnType<typeof createClaimRecord>

/**
 * Creates the record of all that payers and merchants did with refunds whose payers name the destination. It comes from
 * the requests and responses, and never from the database.
 */
export function createClaimRecord() {
  return {
    /** Addresses that a payer has sent through a link that was not known to be replaced. */
    given: [] as Given[],
    /** Addresses whose payer was told that they were sent. */
    accepted: [] as Given[],
    /** Addresses that were sent only through links that had been replaced, or had accepted another address. */
    stale: [] as Given[],
    /** Addresses that a merchant has approved. */
    approved: [] as Omit<Given, 'link'>[],
    /** Sentences about responses that must not happen. */
    problems: [] as string[],
    /** Names of refunds whose merchant has not finished yet. */
    unfinished: new Set<string>(),
  }
}
