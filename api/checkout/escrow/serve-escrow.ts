import type { Context } from 'koa'
import type { ChargeRecord } from '../../../shared/domain/charge.ts'
import { AppError } from '../../../shared/domain/errors.ts'
import { ESCROW_ACTIONS } from '../../../shared/domain/escrow-action.ts'
import { EscrowOrderBody } from '../../charges/escrow/schema.ts'
import { submitOrderOnce } from '../../charges/escrow/submit-order-once.ts'
import { type ChargeRateLimit, rateLimitCharge } from '../../charges/rate-limit-charge.ts'
import { readJsonBody } from '../../http/middleware/json-body.ts'
import { getRequestId } from '../../http/middleware/request-id.ts'
import { compileBody } from '../../http/middleware/validate.ts'
import { strictObject, stringEnum } from '../../http/schema.ts'
import { limitOrders } from '../limit-visitors.ts'
import { pageHeaders } from '../page-headers.ts'
import { getPageLocale } from '../page-locale.ts'
import type { ReadAt, ResourceDeps } from '../resource.ts'
import { renderEscrow } from './render-escrow.ts'
import { viewEscrow } from './view-escrow.ts'

/** Maximum size of the body, which holds a signature, an amount and the field names. */
const MAX_BODY_BYTES = 2048

const validate = compileBody(
  strictObject({ action: stringEnum(ESCROW_ACTIONS), ...EscrowOrderBody.properties }),
)

/** Limit per charge. It counts only orders with a valid signature, so only the releaser can use it up. */
const PER_CHARGE: ChargeRateLimit = {
  ...{ bucket: 'escrow_order', quota: 10, windowSeconds: 60 },
  rule: 'released or refunded by 10 orders a minute',
}

/**
 * `GET` returns the page on which the releaser of an escrow signs a release or a refund. `POST` accepts the signed
 * order, from anyone, and returns the state of the escrow. The order needs the releaser's signature of the current
 * terms (`submitOrderOnce`), so the page does not need to be secret.
 *
 * @throws {AppError} `not_found` for a charge without escrow; as in `submitOrderOnce`; `rate_limited`,
 * `validation_error`, `payload_too_large`, `unsupported_media_type`
 */
export async function serveEscrow(ctx: Context, at: ReadAt, deps: ResourceDeps): Promise<void> {
  const { charge } = at.current
  if (charge.escrow === null) throw new AppError('not_found', 'the charge has no escrow')
  if (ctx.method === 'POST') return orderEscrow(ctx, at, deps)
  const view = await viewEscrow(charge, deps.readEscrow)
  ctx.set(pageHeaders([], { ...at.checkout, howToPay: null }))
  const query = new URLSearchParams(ctx.querystring)
  const { releaserAddress } = charge.escrow
  const { checkout, now } = at
  ctx.body = renderEscrow(view, {
    ...{ checkout, releaserAddress, query, now },
    ...getPageLocale(ctx, 'escrow'),
  })
}

async function orderEscrow(ctx: Context, { current, now }: ReadAt, deps: ResourceDeps): Promise<void> {
  const { charge } = current
  await limitOrders(ctx, deps)
  const { action, signature, amount = null } = validate(await readJsonBody(ctx, MAX_BODY_BYTES))
  const limit = () => rateLimitCharge(deps.sql, ctx, { chargeId: charge.id, limit: PER_CHARGE })
  await submitOrderOnce(
    { ...deps, limit },
    {
      ...{ tenant: charge, chargeId: charge.id, action, signature, signedAmount: amount },
      ...{ apiRequestId: getRequestId(ctx), now },
    },
  )
  ctx.body = { escrow: presentState((await deps.reread()).current.charge) }
}

function presentState({ escrow }: ChargeRecord) {
  return {
    releasedAt: escrow?.releasedAt ?? null,
    refundedAt: escrow?.refundedAt ?? null,
    pendingAction: escrow?.pendingAction ?? null,
  }
}
