import type { Context } from 'koa'
import type { ErrorCode } from '../../shared/domain/errors.ts'
import { ESCROW_ACTIONS, type EscrowAction } from '../../shared/domain/escrow-action.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import type { GetCharge } from '../charges/get-charge.ts'
import { type PresentDeps, presentCurrentCharge } from '../charges/present.ts'
import { Charge } from '../charges/schema.ts'
import { keyedRoute, type Route } from '../route.ts'
import { orderEscrow } from './order-escrow.ts'
import { type EscrowDeps, prepareEscrow, presentEscrow } from './prepare-escrow.ts'
import { EscrowOrderBody, EscrowSigningTransaction } from './schema.ts'

type Deps = EscrowDeps & PresentDeps & { readonly config: ApiConfig; readonly getCharge: GetCharge }

/** The endpoints by which a releaser moves an escrow: prepare, then order, for a release and for a refund. */
export function escrowRoutes(deps: Deps): readonly Route[] {
  return ESCROW_ACTIONS.flatMap((action) => [prepareRoute(deps, action), orderRoute(deps, action)])
}

function prepareRoute(deps: Deps, action: EscrowAction): Route {
  return keyedRoute({
    method: 'GET',
    path: `/v1/charges/:id/${action}/prepare`,
    operationId: `prepare${NAMES[action]}`,
    summary: `Prepare the ${action} of an escrow for the releaser's signature`,
    description: DESCRIPTIONS[action],
    scope: 'charges:read',
    success: { status: 200, body: EscrowSigningTransaction },
    errors: PREPARE_ERRORS,
    handle: async (ctx, request) => {
      const { charge } = await deps.getCharge(request)
      ctx.body = presentEscrow(await prepareEscrow(deps, { chargeId: charge.id, action }))
    },
  })
}

function orderRoute(deps: Deps, action: EscrowAction): Route {
  return keyedRoute({
    method: 'POST',
    path: `/v1/charges/:id/${action}`,
    operationId: `order${NAMES[action]}`,
    summary: `Execute the ${action} of an escrow that the releaser signed`,
    scope: 'charges:write',
    body: { schema: EscrowOrderBody },
    success: { status: 200, body: Charge },
    errors: [...PREPARE_ERRORS, ...ORDER_ERRORS],
    handle: async (ctx, request) => {
      const { charge } = await deps.getCharge(request)
      const { key, body, requestId: apiRequestId } = request
      const { signature, amount: signedAmount = null } = body
      const order = { chargeId: charge.id, action, signature, signedAmount, apiRequestId, now: key.now }
      await orderEscrow(deps, { tenant: key, ...order })
      answerCharge(ctx, presentCurrentCharge(await deps.getCharge(request), deps))
    },
  })
}

const NAMES = { release: 'EscrowRelease', refund: 'EscrowRefund' } as const

const DUST =
  'Dust is what one sender was credited on one pair, in total, below 1 % of the charge’s `amount`. '

const DESCRIPTIONS = {
  release:
    `The whole live balance of the Safe goes to the charge’s split. ${DUST}Dust on a second pair does not count as ` +
    'payment on several pairs.',
  refund:
    'The whole live balance of the Safe goes back to the sender of the most recently credited transfer that is not dust; ' +
    `\`destinationFrom\` names that transfer. ${DUST}Only if there is nothing but dust does the most recent transfer of all ` +
    'decide. This deviates deliberately from the letter of the specification, by which whoever sends a cent last would ' +
    'be refunded the whole escrow.',
} as const

const PREPARE_ERRORS: readonly ErrorCode[] = [
  'charge_not_found',
  'escrow_already_released',
  'escrow_already_refunded',
  'escrow_not_enabled',
  'escrow_multiple_payment_pairs',
  'escrow_empty',
  'escrow_safe_mismatch',
  'rpc_unavailable',
]

const ORDER_ERRORS: readonly ErrorCode[] = [
  'escrow_invalid_signature',
  'request_in_progress',
  // The issuer does not let the Safe pay the destination.
  'recipient_transfer_restricted',
]

function answerCharge(ctx: Context, json: string): void {
  ctx.type = 'json'
  ctx.body = json
}
