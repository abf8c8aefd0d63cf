import type { Context } from 'koa'
import type { Sql } from '../../../shared/db/connect.ts'
import { type AuthenticatedKey, authenticateKeys } from '../../../shared/db/organizations/api/authenticate.ts'
import { hashApiKey, parseApiKey } from '../../../shared/domain/api-key.ts'
import { AppError, type ErrorCode } from '../../../shared/domain/errors.ts'
import { hasConflictingScopes, type Scope } from '../../../shared/domain/scope.ts'
import { createBatch } from '../../../shared/runtime/batch.ts'
import type { ReaderHolder } from '../response-buffers.ts'
import { addressBucket, type RateLimiter, type RateLimitPolicy, WINDOW_SECONDS } from './rate-limit.ts'

/** Identifies the API key of a request. */
export type Authenticate = (ctx: Context) => Promise<AuthenticatedKey>

/**
 * Creates the check of `Authorization: Bearer <API_KEY>`, which also counts the request against its rate limit.
 *
 * Requests with a valid key count per key, in the same statement that looks the key up. All other requests count per
 * address. A key with a wrong checksum is not looked up.
 *
 * Each route declares its scope in a `routes.ts`, and `mount-routes.ts` requires it with `requireScope`.
 *
 * The created function throws `missing_api_key`, `invalid_api_key`, `payout_address_revoked`,
 * `conflicting_api_key_scopes` or `rate_limited`.
 */
export function createAuthenticate(deps: {
  sql: Sql
  limiter: RateLimiter
  policy: RateLimitPolicy
}): Authenticate {
  const { sql, limiter, policy } = deps
  const findKey = createBatch({ run: (hashes: readonly string[]) => findKeys(sql, hashes), ...BATCH })

  const reject = async (ctx: Context, code: ErrorCode, message: string): Promise<never> => {
    await limiter.take(ctx, { bucket: addressBucket(ctx.ip), policy })
    ctx.set('WWW-Authenticate', CHALLENGES[code] ?? 'Bearer')
    throw new AppError(code, message)
  }

  return async (ctx) => {
    const header = ctx.get('authorization')
    if (header === '')
      return reject(ctx, 'missing_api_key', 'the header Authorization: Bearer <API_KEY> is missing')
    const text = /^Bearer +([!-~]+) *$/i.exec(header)?.[1] ?? ''
    if (parseApiKey(text) === null) return reject(ctx, 'invalid_api_key', 'the API key is malformed')

    const keyHash = hashApiKey(text).toString('hex')
    const share = { bucket: `key:${keyHash}`, policy }
    limiter.refuseExhausted(ctx, share)
    const key = await findKey(keyHash)
    if (key === null) return reject(ctx, 'invalid_api_key', 'the API key is unknown or was revoked')
    ctx.state['key_id'] = key.id
    limiter.note(ctx, share, key)
    requireUsableKey(ctx, key)
    return key
  }
}

/** Returns the holder of a response: the key if the request was authenticated, otherwise the client's address. */
export function getReaderHolder(ctx: Context): ReaderHolder {
  const id: unknown = ctx.state['key_id']
  return typeof id === 'string' ? { kind: 'key', id } : { kind: 'address', id: addressBucket(ctx.ip) }
}

/**
 * Throws unless the key has the scope, or one of the scopes. `WWW-Authenticate` names only the first scope.
 *
 * @throws {AppError} `insufficient_scope`
 */
export function requireScope(ctx: Context, key: AuthenticatedKey, scope: Scope | readonly Scope[]): void {
  const scopes = typeof scope === 'string' ? [scope] : scope
  if (scopes.some((one) => key.scopes.includes(one))) return
  ctx.set('WWW-Authenticate', `Bearer error="insufficient_scope", scope="${scopes[0]}"`)
  throw new AppError('insufficient_scope', `the API key lacks the scope ${scopes.join(' or ')}`)
}

/**
 * Runs one statement at a time, for up to a thousand requests.
 *
 * With a statement per request, the requests of one key would wait for the lock on its rate-limit row: a third of the
 * throughput (measured).
 */
const BATCH = { maxItems: 1000, maxRuns: 1 }

/** Finds the key of each hash. Requests with the same key get consecutive values of `used`. */
async function findKeys(sql: Sql, hashes: readonly string[]): Promise<readonly (AuthenticatedKey | null)[]> {
  const requests = new Map<string, number>()
  for (const hash of hashes) requests.set(hash, (requests.get(hash) ?? 0) + 1)
  const keys = await authenticateKeys(sql, {
    keys: Array.from(requests, ([keyHash, count]) => ({ keyHash, requests: count })),
    windowSeconds: WINDOW_SECONDS,
  })
  return hashes.map((hash) => {
    const key = keys.get(hash)
    const later = (requests.get(hash) ?? 1) - 1
    requests.set(hash, later)
    return key === undefined ? null : { ...key, used: key.used - later }
  })
}

/** @see RFC 6750 section 3: no error code if the request has no credentials */
const CHALLENGES: Partial<Record<ErrorCode, string>> = {
  missing_api_key: 'Bearer',
  invalid_api_key: 'Bearer error="invalid_token"',
}

function requireUsableKey(ctx: Context, key: AuthenticatedKey): void {
  if (key.isPayoutStopped) {
    ctx.set('WWW-Authenticate', 'Bearer error="invalid_token"')
    throw new AppError('payout_address_revoked', "the API key's payout address was revoked as a recipient")
  }
  if (hasConflictingScopes(key.scopes)) {
    ctx.set('WWW-Authenticate', 'Bearer error="insufficient_scope"')
    throw new AppError(
      'conflicting_api_key_scopes',
      'the API key holds charges:split_write together with recipients:write or recipients:manage_payout, or refunds:write together with recipients:manage_payout',
    )
  }
}
