import type { Static } from '@sinclair/typebox'
import type { Context } from 'koa'
import type { CurrentCharge } from '../../../shared/db/charges/api/charges-read.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import { parseEvmAddress } from '../../../shared/domain/address.ts'
import { AppError, invariant } from '../../../shared/domain/errors.ts'
import type { Logger } from '../../../shared/runtime/logger.ts'
import { abortable } from '../../swap/abortable.ts'
import type { Swap } from '../../swap/create-swap.ts'
import { findOfferProblem } from '../../swap/find-offer-problem.ts'
import type { SwapOffer } from '../../swap/provider.ts'
import { type ChargeRateLimit, rateLimitCharge } from '../rate-limit-charge.ts'
import { isSamePlan, planQuote, type QuotePlan } from './plan-quote.ts'
import { presentQuote } from './present-quote.ts'
import type { QuoteBody, SwapQuote } from './schema.ts'

export type QuoteDeps = {
  readonly sql: Sql
  readonly log: Logger
  /** `null` without a swap provider. */
  readonly swap: Swap | null
}

export type QuoteRequest = {
  readonly read: () => Promise<CurrentCharge>
  readonly body: Static<typeof QuoteBody>
  readonly now: Date
  readonly from: 'key' | 'page'
}

/**
 * Limits per charge. Visitors of the charge's page have their own quota and cannot use up the quota of keys (decisions
 * 3.14, 7.2).
 */
const QUOTES: Readonly<Record<'key' | 'page', ChargeRateLimit>> = {
  key: { bucket: 'quote', quota: 10, windowSeconds: 60, rule: 'given 10 quotes a minute' },
  page: { bucket: 'page_quote', quota: 10, windowSeconds: 60, rule: 'given 10 quotes a minute on its page' },
}

/** Timeout of a quote, including repeated requests to the provider. Short, because the payer is waiting. */
const TIMEOUT_MS = 5000

/**
 * Maximum requests to the provider for one quote. A request is repeated if the amount due changed before the response.
 * If it changes every time, the charge is being paid, and the quote fails.
 */
const MAX_PROVIDER_REQUESTS = 3

/**
 * Quotes the amount due of a charge in another asset. The quoted swap pays only this charge, in the planned token and
 * amount.
 *
 * @throws {AppError} `charge_not_found`, `rate_limited`, the errors of `planQuote`, `swap_quote_failed`
 */
export async function quoteCharge(
  deps: QuoteDeps,
  ctx: Context,
  request: QuoteRequest,
): Promise<Static<typeof SwapQuote>> {
  const current = await request.read()
  await rateLimitCharge(deps.sql, ctx, { chargeId: current.charge.id, limit: QUOTES[request.from] })
  const first = planQuote(deps.swap, current, toQuoteInput(request))
  const { swap } = deps
  invariant(swap !== null, 'planQuote rejects a quote without a provider')
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const agreed = await abortable(agree({ ...deps, swap }, request, { first, signal }), signal).catch(
    (error: unknown): Agreed => {
      if (error !== signal.reason) throw error
      return { ok: false, id: null, reason: `did not end within ${TIMEOUT_MS} ms` }
    },
  )
  if (agreed.ok) return presentQuote(agreed.plan, agreed.offer, new Date())
  throw reportFailure({ ...deps, swap, chargeId: current.charge.id }, request, agreed)
}

/** A verified offer for a plan that is still valid, or the reason for the failure. */
type Agreed = { readonly ok: true; readonly plan: QuotePlan; readonly offer: SwapOffer } | Failure

type Failure = { readonly ok: false; readonly id: string | null; readonly reason: string }

async function agree(
  deps: QuoteDeps & { readonly swap: Swap },
  request: QuoteRequest,
  { first, signal }: { readonly first: QuotePlan; readonly signal: AbortSignal },
): Promise<Agreed> {
  let plan = first
  for (let requests = 0; requests < MAX_PROVIDER_REQUESTS; requests += 1) {
    const result = await requestOffer(deps.swap, plan, signal)
    if (!result.ok) return result
    const next = planQuote(deps.swap, await request.read(), toQuoteInput(request))
    if (isSamePlan(plan, next)) return { ok: true, plan: next, offer: result.offer }
    plan = next
  }
  return { ok: false, id: null, reason: `was outdated by payments ${MAX_PROVIDER_REQUESTS} times` }
}

async function requestOffer(
  { provider, fee }: Swap,
  plan: QuotePlan,
  signal: AbortSignal,
): Promise<{ readonly ok: true; readonly offer: SwapOffer } | Failure> {
  const result = await provider.quoteExactOut(plan.ask, signal)
  if (!result.ok) return result
  const problem = findOfferProblem(result.offer, { ask: plan.ask, fee, now: new Date() })
  return problem === null ? result : { ok: false, id: result.id, reason: problem }
}

/** Logs the reason with the provider's response id. Returns an error without any text of the provider. */
function reportFailure(
  { swap, log, chargeId }: { readonly swap: Swap; readonly log: Logger; readonly chargeId: string },
  { body }: QuoteRequest,
  { id, reason }: Failure,
): AppError {
  const { inputToken, inputNetwork } = body
  const provider = swap.provider.name
  const input = `${inputToken}/${inputNetwork}`
  log.warn({ msg: 'Rejected a swap quote', provider, zid: id, reason, charge_id: chargeId, input })
  return new AppError(
    'swap_quote_failed',
    `${input} could not be quoted for ${chargeId}; try again, or pay with an accepted token`,
  )
}

function toQuoteInput({ body, now }: QuoteRequest) {
  const taker = parseEvmAddress(body.takerAddress)
  invariant(taker !== null, 'takerAddress passed the rules of the body')
  return { input: { token: body.inputToken, network: body.inputNetwork }, taker, now }
}
