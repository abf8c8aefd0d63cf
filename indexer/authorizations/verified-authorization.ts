import type { OpenAuthorizationRequest } from '../../shared/db/authorizations/authorization-requests.ts'
import type { Hex } from '../../shared/domain/address.ts'
import type { RequestedAuthorization } from '../requests/read-payload.ts'

/** An authorization that may be carried out, and of which charge. */
export type VerifiedAuthorization = {
  readonly request: OpenAuthorizationRequest
  readonly organizationId: string
  readonly asked: RequestedAuthorization
  /** Of all that was signed. */
  readonly digest: Hex
  /** Unix seconds, of the block at which the nonce was not spent. */
  readonly headTimestamp: number
  /** Below it no block can have it: the depth, and a minute, below the head at which it was not spent. */
  readonly fromBlock: number
  /** His key has signed; else his code is asked by the simulation, and nothing is told of him before. */
  readonly isSignedByKey: boolean
}

/** The same, but somebody else has carried it out already. */
export type CarriedOut = VerifiedAuthorization & { readonly txHash: Hex }
