import {
  findEarlierRequest,
  type InsertChargeOutcome,
  type NewCharge,
} from '../../shared/db/charges/api/insert-charges.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { CreateChargeRequest } from './request-schema.ts'

/**
 * Enforces the idempotency key of a request (decisions 3.2). Calls `create`. If it rejects the request, but the same
 * request has already created a charge, calls `replay` with the id of that charge.
 *
 * A request that reaches the insert is handled there (`insertOnce`).
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
 * Inserts a charge unless its idempotency key was used before. The outcome `replayed` has the id of the earlier charge.
 *
 * The SQL function `create_charges` (`000016_create_charges.sql`) compares the key and the hash of the request with
 * those of earlier charges. A unique index on organization, environment and key (`000005_charges.sql`) prevents a
 * second charge if two requests with one key arrive at the same time.
 *
 * @throws {AppError} `idempotency_key_reused` if a request with another hash has used the key
 */
export async function insertOnce(
  insert: (created: NewCharge) => Promise<InsertChargeOutcome>,
  created: NewCharge,
): Promise<Exclude<InsertChargeOutcome, { readonly outcome: 'raced' | 'idempotency_key_reused' }>> {
  const first = await insert(created)
  // Another request has used the key in the meantime. The second insert finds the charge of that request.
  const result = first.outcome === 'raced' ? await insert(created) : first
  if (result.outcome === 'idempotency_key_reused') throw createReuseError()
  if (result.outcome === 'raced')
    throw new AppError(
      'internal_error',
      'the idempotency key was used by another request, but no charge was found',
    )
  return result
}

/** Returns the id of the charge that an earlier request with the same key and hash created, or `null`. */
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
