import { findEarlierRequest } from '../../shared/db/charges/api/insert-charges.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { CreateChargeRequest } from './request-schema.ts'

/**
 * Returns the id of the charge that an earlier request with the same idempotency key created, or `null`.
 *
 * The SQL function `create_charges` (`000016_create_charges.sql`) makes the same comparison when it inserts, and a
 * unique index on organization, environment and key (`000005_charges.sql`) prevents a second charge. This function
 * finds the earlier charge for requests that were rejected before the insert (decisions 3.2).
 *
 * @param hash - hash of the validated body and the payout address (`request-hash.ts`)
 * @throws {AppError} `idempotency_key_reused` if the earlier request had another hash
 */
export async function findEarlierCharge(
  sql: Sql,
  { key, body }: CreateChargeRequest,
  hash: Buffer,
): Promise<string | null> {
  if (body.idempotencyKey === undefined) return null
  const earlier = await findEarlierRequest(sql, { tenant: key, idempotencyKey: body.idempotencyKey })
  if (earlier === null) return null
  if (!earlier.requestHash.equals(hash)) throw createReuseError()
  return earlier.chargeId
}

/** Builds the error for a key that was used for a different request. */
export function createReuseError(): AppError {
  return new AppError(
    'idempotency_key_reused',
    'this idempotencyKey was used for a request with a different body or payout address',
    { param: 'idempotencyKey' },
  )
}
