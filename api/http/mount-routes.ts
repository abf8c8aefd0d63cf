import { setTimeout as delay } from 'node:timers/promises'
import Router from '@koa/router'
import { Type } from '@sinclair/typebox'
import type { Context, Middleware } from 'koa'
import type { AuthenticatedKey } from '../../shared/db/organizations/api/authenticate.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { createFieldError } from './field-error.ts'
import { type Authenticate, requireScope } from './middleware/authenticate.ts'
import { hasBody, readJsonBody } from './middleware/json-body.ts'
import { requireUnanswered } from './middleware/limit-duration.ts'
import { addressBucket, type RateLimiter, type RateLimitPolicy } from './middleware/rate-limit.ts'
import { getRequestId } from './middleware/request-id.ts'
import { compileBody, compileQuery } from './middleware/validate.ts'
import type { ExtraLimit, KeyedRoute, PublicRoute, Route } from './route.ts'
import { sendJson } from './send-json.ts'

type Gate = {
  readonly authenticate: Authenticate
  readonly limiter: RateLimiter
  readonly policies: Readonly<Record<ExtraLimit | 'general', RateLimitPolicy>>
}

/**
 * Mounts the route table on a router, and compiles every schema.
 *
 * Only `throughGate` lists the checks that a request with a key must pass before its handler runs.
 */
export function mountRoutes(routes: readonly Route[], gate: Gate): Middleware {
  const router = new Router()
  for (const route of routes) {
    const handle = route.access === 'public' ? throughLimit(route, gate) : throughGate(route, gate)
    router.register(route.path, [route.method.toLowerCase()], handle)
  }
  return router.routes() as unknown as Middleware
}

/**
 * Rejects requests that no route has handled, with 404 or 405. Below `/v1/` the key is checked first, so that callers
 * without a key cannot find paths.
 *
 * @see RFC 9110 section 15.5.6: 405 carries `Allow`
 */
export function handleUnknownRoute(gate: Gate): Middleware {
  return async (ctx) => {
    if (ctx.path.startsWith('/v1/')) await gate.authenticate(ctx)
    else await rateLimitAnonymous(ctx, gate)
    const matched = (ctx as unknown as { matched?: readonly { methods: readonly string[] }[] }).matched ?? []
    if (matched.length === 0) throw new AppError('not_found', `no endpoint at ${ctx.path.slice(0, 200)}`)
    const allowed = [...new Set(matched.flatMap(({ methods }) => methods))].sort().join(', ')
    ctx.set('Allow', allowed)
    throw new AppError('method_not_allowed', `${ctx.method} is not supported here; use ${allowed}`)
  }
}

/**
 * Counts a request without a key against the limit of the client's address.
 *
 * @throws {AppError} `rate_limited`
 */
export async function rateLimitAnonymous(
  ctx: Context,
  { limiter, policies }: Pick<Gate, 'limiter' | 'policies'>,
): Promise<void> {
  await limiter.take(ctx, { bucket: addressBucket(ctx.ip), policy: policies.general })
}

function throughGate(route: KeyedRoute, gate: Gate): Middleware {
  const validateQuery = compileQuery(route.query ?? NO_PARAMETERS)
  const validateBody = route.body && compileBody(route.body.schema, route.body.rules)
  return async (ctx) => {
    const key = await gate.authenticate(ctx)
    const takeExtra = async (): Promise<void> => {
      const { extraLimit: limit } = route
      if (limit) await gate.limiter.take(ctx, { bucket: getBucket(key, limit), policy: gate.policies[limit] })
    }
    if (!route.isExtraTakenByHandler) await takeExtra()
    if (route.scope !== null) requireScope(ctx, key, route.scope)
    rejectNul(ctx['params'])
    const query = validateQuery(ctx.querystring)
    const isAbsent = route.body === undefined || (route.body.isOptional === true && !hasBody(ctx.req))
    const document = isAbsent ? EMPTY : await readJsonBody(ctx, route.body?.maxBytes)
    const body = validateBody ? validateBody(document) : {}
    const { sourceOf } = document
    requireUnanswered(ctx)
    const requestId = getRequestId(ctx)
    const request = { key, requestId, params: ctx['params'], query, body, sourceOf, takeExtra }
    sendSuccess(ctx, route.success, await route.handle(request, ctx))
  }
}

function sendSuccess(ctx: Context, success: KeyedRoute['success'], body: unknown): void {
  if (body === undefined && success.body !== null) return
  ctx.status = success.status
  if (typeof body === 'string') sendJson(ctx, body)
  else if (body !== undefined) ctx.body = body
}

/** Timeout of the count, which takes about a millisecond. After it, the request is handled without the limit. */
const LIMIT_TIMEOUT_MS = 1000

function throughLimit(route: PublicRoute, gate: Gate): Middleware {
  return async (ctx) => {
    // Use a separate bucket for this endpoint. Requests with wrong keys, perhaps from another customer behind the same
    // NAT, must not use up its quota.
    const bucket = `${route.operationId}:${addressBucket(ctx.ip)}`
    // A database that is down or hangs must not fail this request, because the health endpoint reports the outage.
    await Promise.race([
      gate.limiter.take(ctx, { bucket, policy: gate.policies.general }).catch((error: unknown) => {
        if (error instanceof AppError) throw error
      }),
      delay(LIMIT_TIMEOUT_MS, undefined, { ref: false }),
    ])
    await route.handle(ctx)
  }
}

/** Rejects parameters with a NUL character, which PostgreSQL cannot store in a text (decisions 3.9). */
function rejectNul(params: Readonly<Record<string, string>>): void {
  const named = Object.keys(params).find((name) => params[name]?.includes('\0'))
  if (named !== undefined) throw createFieldError(named, 'contains a NUL character')
}

/**
 * Returns the bucket of an additional limit. Checks of test charges must not use up the quota of live charges
 * (decisions 7.2).
 */
function getBucket({ organizationId, environment }: AuthenticatedKey, limit: ExtraLimit): string {
  return limit === 'checks' ? `${limit}:${organizationId}:${environment}` : `${limit}:${organizationId}`
}

const NO_PARAMETERS = Type.Object({}, { additionalProperties: false })

const EMPTY = { value: {}, sourceOf: () => null }
