import type { Context } from 'koa'
import { findRefundByLink } from '../../../shared/db/refunds/api/refunds-read.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { CHAIN_FAMILIES, presentAddress } from '../../../shared/domain/chain-families/chain-families.ts'
import { AppError } from '../../../shared/domain/errors.ts'
import { hashClaimSecret } from '../../../shared/domain/refund/claim-secret.ts'
import type { RefundRecord } from '../../../shared/domain/refund/refund.ts'
import { presentClaimData } from '../../../shared/domain/refund/refund-claim.ts'
import { readFormBody } from '../../http/middleware/json-body.ts'
import { limitClaims } from '../limit-visitors.ts'
import { pageHeaders } from '../page-headers.ts'
import { getPageLocale } from '../page-locale.ts'
import { choiceLink, parseChoice } from '../payment-choice.ts'
import type { ReadAt, Resource, ResourceDeps } from '../resource.ts'
import type { ClaimStep, Linked } from './claim-at.ts'
import { renderClaim } from './render-claim.ts'
import { sendClaim } from './send-claim.ts'

/** Maximum size of a form, which holds a contract signature of 2 kB (4 kB in hex) and the other fields. */
const MAX_BODY_BYTES = 6 * 1024

/**
 * Matches a refund's page and every path below it, so that the secret stays out of the logs even if the link's end was
 * mistyped.
 */
const PATH = /^\/refund\/(.+)$/

/**
 * Finds a refund's page by its path below the charge's page; `null` for any other path. The returned `path` is the
 * route without the secret, so that logs and metrics do not record the secret.
 */
export function findClaimResource(path: string): Resource | null {
  const secret = PATH.exec(path)?.[1]
  if (secret === undefined) return null
  return {
    ...{ path: '/refund/:claim', methods: ['GET', 'HEAD', 'POST'], page: 'claim' },
    ...{ isForm: true, isNeverFramed: true },
    answer: (ctx, at, deps) => serveClaim(ctx, at, { ...deps, secret }),
  }
}

type Deps = ResourceDeps & { readonly secret: string }

/**
 * @throws {AppError} `refund_not_found` if the link is invalid or was replaced; `rate_limited`; with a form also
 * `payload_too_large`, `unsupported_media_type`, `validation_error`
 */
async function serveClaim(ctx: Context, at: ReadAt, deps: Deps): Promise<void> {
  const { checkout } = at
  ctx.set(pageHeaders([], { brand: checkout.brand, products: [], howToPay: null }))
  if (ctx.method === 'POST') await limitClaims(ctx, deps)
  const linked = await getLinked(at, deps)
  const choice = parseChoice(new URLSearchParams(ctx.querystring), [])
  const step = ctx.method === 'POST' ? await takeForm(ctx, { at, linked, deps }) : getFirstStep(linked.refund)
  if (step === 'sent') {
    ctx.status = 303
    ctx.set('Location', choiceLink(choice))
    return
  }
  ctx.body = renderClaim({
    ...{ refund: linked.refund, checkout, step, choice, now: at.now },
    ...getPageLocale(ctx, 'claim'),
  })
}

async function getLinked({ checkout }: ReadAt, { sql, secret }: Deps): Promise<Linked> {
  const claimHash = hashClaimSecret(secret)
  const refund = claimHash && (await findRefundByLink(sql, { chargeId: checkout.id, claimHash }))
  if (claimHash !== null && refund) return { refund, claimHash }
  throw new AppError('refund_not_found', 'this link is not valid, or was replaced by a new one')
}

function getFirstStep({ status }: RefundRecord): ClaimStep {
  return status === 'awaiting_destination' ? { name: 'ask', typed: '', problem: null } : { name: 'follow' }
}

type Taken = { readonly at: ReadAt; readonly linked: Linked; readonly deps: Deps }

/**
 * Handles a submitted form: returns its address for review, or sends the address to the daemon. If the address is not
 * accepted, returns the step that requests another one. If the refund does not await an address, ignores the form and
 * returns `sent`.
 */
async function takeForm(ctx: Context, { at, linked, deps }: Taken): Promise<ClaimStep | 'sent'> {
  const form = await readFormBody(ctx, MAX_BODY_BYTES)
  const { refund } = linked
  if (refund.status !== 'awaiting_destination') return 'sent'
  const typed = (form.get('address') ?? '').trim().slice(0, 100)
  const address = CHAIN_FAMILIES[refund.family].parseAddress(typed)
  if (address === null) return { name: 'ask', typed, problem: 'invalid' }
  if (form.get('step') !== 'send') return buildReview(linked, { address, deps })
  const problem = await sendClaim(ctx, { at, linked, deps, address, form })
  return problem === null ? 'sent' : { name: 'ask', typed, problem }
}

function buildReview(
  { refund, claimHash }: Linked,
  { address: destination, deps }: { readonly address: Address; readonly deps: Deps },
): ClaimStep {
  const { chainId, family } = refund
  const { checkoutBaseUrl } = deps.config
  const canSign = chainId !== null && CHAIN_FAMILIES[family].hasTypedData && checkoutBaseUrl !== null
  const typedData = canSign
    ? presentClaimData({ ...refund, chainId, destination, claimHash, host: new URL(checkoutBaseUrl).host })
    : null
  return { name: 'review', address: presentAddress(destination, family), typedData }
}
