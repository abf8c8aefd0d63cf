import type { OpenAuthorizationRequest } from '../../shared/db/pay-by-signature/authorization-requests.ts'
import type { Hex } from '../../shared/domain/address.ts'
import type { RequestedAuthorization } from '../requests/parse-payload.ts'

/** An authorization that has passed all checks, with its request. */
export type VerifiedAuthorization = {
  readonly request: OpenAuthorizationRequest
  readonly organizationId: string
  readonly asked: RequestedAuthorization
  /** Digest of the complete signed message. */
  readonly digest: Hex
  /** Timestamp, in Unix seconds, of the head at which the nonce was read. */
  readonly headTimestamp: number
  /**
   * Lowest block that can contain the payment. If the nonce was unused, this block is the confirmation depth plus a
   * minute below the head; if a third party had used the nonce, 15 minutes below the head.
   */
  readonly fromBlock: number
  /**
   * Whether the payer's key signed. If not, the payer's contract checks the signature in the simulation, and until then
   * no response may reveal facts about the payer.
   */
  readonly isSignedByKey: boolean
}

/** A verified authorization that a third party has already executed. */
export type CarriedOut = VerifiedAuthorization & { readonly txHash: Hex }
