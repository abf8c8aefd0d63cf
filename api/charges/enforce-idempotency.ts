import {
  findEarlierRequest,
  type InsertChargeOutcome,
  type NewCharge,
} from '../../shared/db/charges/api/insert-charges.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { CreateChargeRequest } from './request-schema.ts'

/**
 * Calls `create`. If `create` rejects the request, but the same request has already created a charge, calls `replay`
 * with the id of that charge (decisions 3.2). `insertOnce` handles repeated requests that `create` does not reject.
 *
 * @param hash - hash of the validated body and the payout address (`request-hash.ts`)
 * @throws {AppError} `idempotency_key_reused` if a request with another hash has used the key
 */
export async function enforceIdempotency<Result>(
  { sql, request, hash }: { readonly sql: Sql; readonly request: CreateChargeRequest; readonly hash: Buffer },
  { create, replay }: { create: () => Promise<Result>; replay: (chargeId: string) => Promise<Result> },
): Promise<Result> {
  try {
    return await create()
  } catch (rejection) {
    if (!(rejection instanceof AppError)) throw rejection
    const earlier = await findEarlierCharge(sql, request, hash)
    if (earlier === null) throw rejection
    return replay(earlier)
  }
}

/**
 * Inserts a charge unless its idempotency key was used before. The outcome `replayed` contains the earlier charge's id.
 *
 * The SQL function `create_charges` (`000016_create_charges.sql`) compares the request's key and hash with those of
 * earlier charges. A unique index on organization, environment and key (`000005_charges.sql`) prevents a second charge
 * if two requests with the same key arrive at the same time.
 *
 * @throws {AppError} `idempotency_key_reused` if a request with another hash has used the key
 */
export async function insertOnce(
  insert: (created: NewCharge) => Promise<InsertChargeOutcome>,
  created: NewCharge,
): Promise<Exclude<InsertChargeOutcome, { readonly outcome: 'raced' | 'idempotency_key_reused' }>> {
  const first = await insert(created)
  // A simultaneous request has used the key. The second insert finds that request's charge.
  const result = first.outcome === 'raced' ? await insert(created) : first
  if (result.outcome === 'idempotency_key_reused') throw createReuseError()
  if (result.outcome === 'raced')
    throw new AppError(
      'internal_error',
      'the idempotency key was used by another request, but no charge was found',
    )
  return result
}

async function findEarlierCharge(
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

function createReuseError(): AppError {
  return new AppError(
    'idempotency_key_reused',
    'this idempotencyKey was used for a request with a different body or payout address',
    { param: 'idempotencyKey' },
  )
}
