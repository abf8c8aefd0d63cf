import type { Context } from 'koa'
import type { Sql } from '../../shared/db/connect.ts'
import { consumeRateLimit } from '../../shared/db/organizations/rate-limits.ts'
import { AppError } from '../../shared/domain/errors.ts'

/** A limit per charge, shared by all keys and all API processes. */
export type ChargeRateLimit = {
  readonly bucket: string
  readonly quota: number
  readonly windowSeconds: number
  /** The permitted use, such as `checked once in 10 seconds`. The error message inserts it after “can be”. */
  readonly rule: string
}

/**
 * Counts one use of a limit per charge.
 *
 * @throws {AppError} `rate_limited`, with `Retry-After` set, if the limit is exceeded
 */
export async function rateLimitCharge(
  sql: Sql,
  ctx: Context,
  { chargeId, limit }: { readonly chargeId: string; readonly limit: ChargeRateLimit },
): Promise<void> {
  const { bucket, quota, windowSeconds, rule } = limit
  const { used, resetsInSeconds } = await consumeRateLimit(sql, {
    bucket: `${bucket}:${chargeId}`,
    windowSeconds,
  })
  if (used <= quota) return
  const seconds = Math.max(1, resetsInSeconds)
  ctx.set('Retry-After', String(seconds))
  throw new AppError('rate_limited', `${chargeId} can be ${rule}; try again in ${seconds} s`)
}
