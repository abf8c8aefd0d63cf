import type { Hex } from '../../domain/address.ts'
import type { AuthorizationStatus } from '../../domain/authorization-status.ts'
import type { Db } from '../connect.ts'
import type { AuthorizationKey } from './authorization-requests.ts'

/** An authorization that was taken, as far as whoever brings it again is answered. */
export type TakenAuthorization = {
  readonly chargeId: string
  /** Of all that was signed. */
  readonly digest: Hex
  readonly status: AuthorizationStatus
  /** Of what carries it out, now; `null` while nothing does. */
  readonly txHash: Hex | null
}

/** Finds an authorization that was taken, for whichever charge; `null` if none was. */
export async function findTakenAuthorization(
  db: Db,
  { chainId, token, payer, nonce }: AuthorizationKey,
): Promise<TakenAuthorization | null> {
  const [row] = await db<TakenAuthorization[]>`
    select charge_id, digest, status, tx_hash from authorizations
    where chain_id = ${chainId} and token_address = ${token} and payer = ${payer} and nonce = ${nonce}`
  return row ?? null
}
