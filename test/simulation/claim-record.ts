import type { Address } from '../../shared/domain/address.ts'

/** An address that was sent through a link of a refund. */
type Given = { readonly refundId: string; readonly link: string; readonly address: Address }

export type ClaimRecord = ReturnType<typeof createClaimRecord>

/**
 * Creates the record of refunds whose payers name the destination. It is filled from the requests and responses of
 * payers and merchants, never from the database.
 */
export function createClaimRecord() {
  return {
    /** Addresses that a payer has sent through a link that was not known to be replaced. */
    given: [] as Given[],
    /** Addresses whose payer received the response that the address was accepted. */
    accepted: [] as Given[],
    /** Addresses that were sent only through links that had been replaced, or had accepted another address. */
    stale: [] as Given[],
    /** Addresses for which a merchant has sent an approval. */
    approved: [] as Omit<Given, 'link'>[],
    /** Descriptions of responses that must not happen. */
    problems: [] as string[],
    /** Names of refunds whose merchant has not finished yet. */
    unfinished: new Set<string>(),
  }
}
