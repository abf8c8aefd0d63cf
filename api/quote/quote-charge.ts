import type { Static } from '@sinclair/typebox'
import type { Context } from 'koa'
import type { CurrentCharge } from '../../shared/db/charges/api/charges-read.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { parseEvmAddress } from '../../shared/domain/address.ts'
import { AppError, invariant } from '../../shared/domain/errors.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { type ChargeLimit, limitCharge } from '../charges/limit-charge.ts'
import type { Swap } from '../swap/create-swap.ts'
import { findOfferProblem } from '../swap/find-offer-problem.ts'
import type { SwapOffer } from '../swap/provider.ts'
import { within } from '../swap/within.ts'
import { isSamePlan, planQuote, type QuotePlan } from './plan-quote.ts'
import { presentQuote } from './present-quote.ts'
import type { QuoteBody, SwapQuote } from './schema.ts'

/** What a quote needs. */
export type QuoteDeps = {
  readonly sql: Sql
  readonly log: Logger
  /** `null` without a swap provider. */
  readonly swap: Swap | null
}

/** What is to be quoted. */
export type QuoteRequest = {
  /** Reads the charge as it is now. */
  readonly read: () => Promise<CurrentCharge>
  readonly body: Static<typeof QuoteBody>
  readonly now: Date
  readonly from: 'key' | 'page'
}

/** Of each charge. Strangers on its page can use up their own quotes, never those of keys (decisions 3.14, 7.2). */
const QUOTES: Readonly<Record<'key' | 'page', ChargeLimit>> = {
  key: { bucket: 'quote', quota: 10, windowSeconds: 60, rule: 'given 10 quotes a minute' },
  page: { bucket: 'page_quote', quota: 10, windowSeconds: 60, rule: 'given 10 quotes a minute on its page' },
}

/** For the whole quote, a second ask included: the payer waits. */
const WITHIN_MS = 5000

/** What remains can change while the provider answers; a charge for which it does so again and again is being paid. */
const MAX_ASKS = 3

/**
 * Quotes what remains of a charge in another asset: an offer that can pay this charge, this token and this amount, and
 * nothing else.
 *
 * What remains is read again after the provider's answer, and asked for again if it has changed.
 *
 * @throws {AppError} `charge_not_found`, `rate_limited`, what `planQuote` throws, `swap_quote_failed`
 */
export async function quoteCharge(
  deps: QuoteDeps,
  ctx: Context,
  request: QuoteRequest,
): Promise<Static<typeof SwapQuote>> {
  const current = await request.read()
  await limitCharge(deps.sql, ctx, { chargeId: current.charge.id, limit: QUOTES[request.from] })
  const first = await planQuote(deps, current, wantedOf(request))
  const { swap } = deps
  invariant(swap !== null, 'a quote without a provider was planned')
  const signal = AbortSignal.timeout(WITHIN_MS)
  const agreed = await within(agree({ ...deps, swap }, request, { first, signal }), signal).catch(
    (error: unknown): Agreed => {
      if (error !== signal.reason) throw error
      return { ok: false, id: null, reason: `had no end within ${WITHIN_MS} ms` }
    },
  )
  if (agreed.ok) return presentQuote(agreed.plan, agreed.offer, new Date())
  throw failQuote({ ...deps, swap, chargeId: current.charge.id }, request, agreed)
}

/** An offer that was checked for a plan that still holds, or why there is none. */
type Agreed = { readonly ok: true; readonly plan: QuotePlan; readonly offer: SwapOffer } | Failure

type Failure = { readonly ok: false; readonly id: string | null; readonly reason: string }

async function agree(
  deps: QuoteDeps & { readonly swap: Swap },
  request: QuoteRequest,
  { first, signal }: { readonly first: QuotePlan; readonly signal: AbortSignal },
): Promise<Agreed> {
  let plan = first
  for (let asks = 0; asks < MAX_ASKS; asks += 1) {
    const answer = await askProvider(deps.swap, plan, signal)
    if (!answer.ok) return answer
    const next = await planQuote(deps, await request.read(), wantedOf(request))
    if (isSamePlan(plan, next)) return { ok: true, plan: next, offer: answer.offer }
    plan = next
  }
  return { ok: false, id: null, reason: `was overtaken by payments ${MAX_ASKS} times` }
}

async function askProvider(
  { provider, fee }: Swap,
  plan: QuotePlan,
  signal: AbortSignal,
): Promise<{ readonly ok: true; readonly offer: SwapOffer } | Failure> {
  const answer = await provider.quoteExactOut(plan.ask, signal)
  if (!answer.ok) return answer
  const problem = findOfferProblem(answer.offer, { ask: plan.ask, fee, now: new Date() })
  return problem === null ? answer : { ok: false, id: answer.id, reason: problem }
}

/** Tells the log why, with the provider's own id of the answer; the client hears nothing that the provider wrote. */
function failQuote(
  { swap, log, chargeId }: { readonly swap: Swap; readonly log: Logger; readonly chargeId: string },
  { body }: QuoteRequest,
  { id, reason }: Failure,
): AppError {
  const { inputToken, inputNetwork } = body
  const provider = swap.provider.name
  const input = `${inputToken}/${inputNetwork}`
  log.warn({ msg: 'Refused a swap quote', provider, zid: id, reason, charge_id: chargeId, input })
  return new AppError(
    'swap_quote_failed',
    `${input} could not be quoted for ${chargeId}; try again, or pay with an accepted token`,
  )
}

function wantedOf({ body, now }: QuoteRequest) {
  const taker = parseEvmAddress(body.takerAddress)
  invariant(taker !== null, 'the taker passed the rules of the body')
  return { input: { token: body.inputToken, network: body.inputNetwork }, taker, now }
}
