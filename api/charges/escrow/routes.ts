import type { ErrorCode } from '../../../shared/domain/errors.ts'
import { ESCROW_ACTIONS, type EscrowAction } from '../../../shared/domain/escrow-action.ts'
import type { ApiConfig } from '../../../shared/runtime/api-config.ts'
import { keyedRoute, type Route } from '../../http/route.ts'
import type { GetCharge } from '../get-charge.ts'
import { type PresentDeps, presentCurrentCharge } from '../present.ts'
import { Charge } from '../schema.ts'
import { type EscrowDeps, prepareEscrow, presentEscrow } from './prepare-escrow.ts'
import { EscrowOrderBody, EscrowSigningTransaction } from './schema.ts'
import { submitEscrowOrder } from './submit-escrow-order.ts'

type Deps = EscrowDeps & PresentDeps & { readonly config: ApiConfig; readonly getCharge: GetCharge }

/** Returns the endpoints that prepare and order the release and the refund of an escrow. */
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
    handle: async (request) => {
      const { charge } = await deps.getCharge(request)
      return presentEscrow(await prepareEscrow(deps, { chargeId: charge.id, action }))
    },
  })
}

function orderRoute(deps: Deps, action: EscrowAction): Route {
  return keyedRoute({
    method: 'POST',
    path: `/v1/charges/:id/${action}`,
    operationId: `order${NAMES[action]}`,
    summary: `Execute the ${action} of an escrow, signed by the releaser`,
    scope: 'charges:write',
    body: { schema: EscrowOrderBody },
    success: { status: 200, body: Charge },
    errors: [...PREPARE_ERRORS, ...ORDER_ERRORS],
    handle: async (request) => {
      const { charge } = await deps.getCharge(request)
      const { key, body, requestId: apiRequestId } = request
      const { signature, amount: signedAmount = null } = body
      const order = { chargeId: charge.id, action, signature, signedAmount, apiRequestId, now: key.now }
      await submitEscrowOrder(deps, { tenant: key, ...order })
      return presentCurrentCharge(await deps.getCharge(request), deps)
    },
  })
}

const NAMES = { release: 'EscrowRelease', refund: 'EscrowRefund' } as const

const DUST = 'Dust is a total credit from one sender on one pair below 1 % of the charge’s `amount`. '

const DESCRIPTIONS = {
  release:
    `The whole live balance of the Safe is sent to the charge’s split. ${DUST}Dust on a second pair does not count as ` +
    'payment on several pairs.',
  refund:
    'The whole live balance of the Safe is sent to the sender of the most recently credited transfer that is not dust. ' +
    `\`destinationFrom\` shows that transfer. ${DUST}If the Safe contains only dust, the sender of the most recent transfer receives it. ` +
    'This deviates deliberately from the specification, under which anyone who sends a cent last would receive the whole ' +
    'escrow.',
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
  // The issuer restricts transfers from the Safe to the destination.
  'recipient_transfer_restricted',
]
