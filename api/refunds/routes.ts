import type { Sql } from '../../shared/db/connect.ts'
import { hasDeclaredRefund, listRefunds } from '../../shared/db/refunds/api/refunds-read.ts'
import { MAX_ENDED_REFUNDS_PER_CHARGE, MAX_REFUNDS_PER_CHARGE } from '../../shared/domain/refund/refund.ts'
import type { GetCharge } from '../charges/get-charge.ts'
import type { ReadIssuerRestriction } from '../http/issuer-restrictions.ts'
import { keyedRoute, type Route } from '../http/route.ts'
import { createClaimLink } from './claim-link.ts'
import { claimRoutes } from './claim-routes.ts'
import { presentRefund, presentRefundWithLink } from './present-refund.ts'
import {
  buildDeclaration,
  getRefund,
  parseHash,
  requestRefund,
  requireTransferable,
} from './request-refund.ts'
import { CheckRefundBody, CreateRefundBody, Refund, RefundList, RefundWithLink } from './schema.ts'

/**
 * Maximum refunds of one charge. Only a declaration adds a refund, and it is rejected if the charge already has the
 * maximum of open and confirmed refunds, or of ended refunds.
 */
const MAX_REFUNDS = MAX_REFUNDS_PER_CHARGE + MAX_ENDED_REFUNDS_PER_CHARGE - 1

type Deps = {
  readonly sql: Sql
  readonly getCharge: GetCharge
  readonly ask: ReadIssuerRestriction
  readonly config: { readonly checkoutBaseUrl: string | null }
}

/** Returns the endpoints of refunds that merchants pay from their own wallets. */
export function refundRoutes(deps: Deps): readonly Route[] {
  return [createRoute(deps), ...readRoutes(deps), ...claimRoutes(deps), ...changeRoutes(deps)]
}

function createRoute({ sql, getCharge, ask, config }: Deps): Route {
  return keyedRoute({
    method: 'POST',
    path: '/v1/charges/:id/refunds',
    operationId: 'createRefund',
    summary: 'Declare a refund that you pay from your own wallet',
    description:
      'Sends no transaction: it returns the transfer that your wallet must send, and the refund is confirmed when the transfer has the required confirmations. The refunds of a charge never exceed the amount that it received on the pair; you received less, because fees and splits were paid out of it. The refund expires after 30 days. A charge that was paid on several pairs requires `token` and `network`. With `destination.claim` the payer names the address, and you approve the address.',
    scope: 'refunds:write',
    body: { schema: CreateRefundBody },
    success: {
      status: 201,
      body: RefundWithLink,
      headers: { 'Idempotent-Replayed': '`true` if the refund already existed.' },
    },
    errors: [
      ...(['charge_not_found', 'invalid_amount', 'idempotency_key_reused', 'charge_still_open'] as const),
      ...([
        'refund_ambiguous',
        'request_in_progress',
        'payment_pair_required',
        'escrow_not_released',
      ] as const),
      ...(['nothing_received', 'refund_exceeds_received', 'refund_limit_reached'] as const),
      ...(['destination_not_allowed', 'recipient_transfer_restricted', 'rpc_unavailable'] as const),
    ],
    handle: async (request, ctx) => {
      const { charge } = await getCharge(request)
      const { claim } = request.body.destination
      const link = claim === true ? createClaimLink(config.checkoutBaseUrl, charge.id) : null
      const payload = buildDeclaration(charge, request.body, link)
      const { destination: account, idempotencyKey } = payload
      // A replay must not fail because the issuer has restricted the address since the declaration.
      if (account !== null && !(await hasDeclaredRefund(sql, { chargeId: charge.id, idempotencyKey })))
        await requireTransferable(ask, charge, { ...payload, account, param: 'destination.address' })
      const { refundId, isReplay } = await requestRefund(sql, request, { chargeId: charge.id, payload })
      if (isReplay) ctx.set('Idempotent-Replayed', 'true')
      const refund = await getRefund(sql, { tenant: request.key, id: refundId ?? undefined })
      return presentRefundWithLink(refund, isReplay ? null : link)
    },
  })
}

function readRoutes({ sql, getCharge }: Deps): readonly Route[] {
  return [
    keyedRoute({
      method: 'GET',
      path: '/v1/charges/:id/refunds',
      operationId: 'listRefunds',
      summary: 'List the refunds of a charge, newest first',
      description: `A bare array without pages, with at most ${MAX_REFUNDS} refunds: a declaration requires that fewer than ${MAX_REFUNDS_PER_CHARGE} are open or confirmed, and that fewer than ${MAX_ENDED_REFUNDS_PER_CHARGE} have ended. Refunds that end, or are paid after their end, can exceed either number.`,
      scope: 'charges:read',
      success: { status: 200, body: RefundList },
      errors: ['charge_not_found'],
      handle: async (request) => {
        const { charge } = await getCharge(request)
        return (await listRefunds(sql, { tenant: request.key, chargeId: charge.id })).map(presentRefund)
      },
    }),
    keyedRoute({
      method: 'GET',
      path: '/v1/refunds/:id',
      operationId: 'getRefund',
      summary: 'Read a refund',
      scope: 'charges:read',
      success: { status: 200, body: Refund },
      errors: ['refund_not_found'],
      handle: async ({ key, params }) =>
        presentRefund(await getRefund(sql, { tenant: key, id: params['id'] })),
    }),
  ]
}

function changeRoutes({ sql }: Deps): readonly Route[] {
  return [
    keyedRoute({
      method: 'POST',
      path: '/v1/refunds/:id/cancel',
      operationId: 'cancelRefund',
      summary: 'Cancel a refund that was not paid',
      description:
        'Its amount is then available for other refunds. If you pay the canceled refund nevertheless, it becomes `confirmed`. Canceling a refund that has already ended changes nothing.',
      scope: 'refunds:write',
      success: { status: 200, body: Refund },
      errors: ['refund_not_found', 'refund_already_seen', 'request_in_progress'],
      handle: async (request) => {
        const { key, params } = request
        const { id, chargeId } = await getRefund(sql, { tenant: key, id: params['id'] })
        await requestRefund(sql, request, { chargeId, payload: { action: 'cancel', refundId: id } })
        return presentRefund(await getRefund(sql, { tenant: key, id }))
      },
    }),
    keyedRoute({
      method: 'POST',
      path: '/v1/refunds/:id/check',
      operationId: 'checkRefund',
      summary: 'Look for the transfer of a refund now',
      description:
        'The chain is searched every few seconds anyway. With `txHash`, that transaction is read, even if the refund ended long ago.',
      // Not `refunds:write`, because a check declares and approves nothing. A charge check is the same.
      scope: 'charges:write',
      extraLimit: 'checks',
      body: { schema: CheckRefundBody, isOptional: true },
      success: { status: 200, body: Refund },
      errors: ['refund_not_found', 'request_in_progress', 'rpc_unavailable'],
      handle: async (request) => {
        const { key, params } = request
        const { id, chargeId } = await getRefund(sql, { tenant: key, id: params['id'] })
        const txHash = parseHash(request.body.txHash)
        await requestRefund(sql, request, { chargeId, payload: { action: 'check', refundId: id, txHash } })
        return presentRefund(await getRefund(sql, { tenant: key, id }))
      },
    }),
  ]
}
