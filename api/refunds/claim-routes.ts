import type { Sql } from '../../shared/db/connect.ts'
import type { ReadIssuerRestriction } from '../http/issuer-restrictions.ts'
import { keyedRoute, type Route } from '../http/route.ts'
import { type ClaimLink, createClaimLink } from './claim-link.ts'
import { presentRefund, presentRefundWithLink } from './present-refund.ts'
import { getRefund, parseOf, requestRefund, requireTransferable } from './request-refund.ts'
import { ApproveRefundBody, Refund, RefundWithLink } from './schema.ts'

type Deps = {
  readonly sql: Sql
  readonly ask: ReadIssuerRestriction
  readonly config: { readonly checkoutBaseUrl: string | null }
}

/** Returns the endpoints that approve or reject a payer's address, or replace the payer's link. */
export function claimRoutes(deps: Deps): readonly Route[] {
  return [
    approveRoute(deps),
    linkRoute(deps, {
      action: 'reject',
      path: '/v1/refunds/:id/reject',
      operationId: 'rejectRefundClaim',
      summary: 'Reject the address that a payer gave',
      description:
        'The payer can give a different address with the new link in `claimUrl`. The old link is void.',
      errors: ['refund_not_found', 'refund_not_awaiting_approval', 'request_in_progress'],
    }),
    linkRoute(deps, {
      action: 'renew_link',
      path: '/v1/refunds/:id/claim-link',
      operationId: 'createRefundClaimLink',
      summary: 'Replace the payer’s link',
      description:
        'Use this if the link was lost or seen by someone else. The old link becomes void. The new link is shown only in this response.',
      errors: ['refund_not_found', 'refund_not_claimable', 'request_in_progress'],
    }),
  ]
}

function approveRoute({ sql, ask }: Deps): Route {
  return keyedRoute({
    method: 'POST',
    path: '/v1/refunds/:id/approve',
    operationId: 'approveRefundClaim',
    summary: 'Approve the address that a payer gave',
    description:
      'Requires the address again, so that an address that was replaced in the meantime is not approved. The response contains the transfer that your wallet must send. A transfer from before the approval does not count. A repeated approval of the same address changes nothing.',
    scope: 'refunds:write',
    body: { schema: ApproveRefundBody },
    success: { status: 200, body: Refund },
    errors: [
      ...(['refund_not_found', 'refund_not_awaiting_approval', 'refund_address_mismatch'] as const),
      ...(['refund_ambiguous', 'request_in_progress', 'destination_not_allowed'] as const),
      ...(['recipient_transfer_restricted', 'rpc_unavailable'] as const),
    ],
    handle: async (request) => {
      const { key, params, body } = request
      const refund = await getRefund(sql, { tenant: key, id: params['id'] })
      const { id, chargeId, token, network } = refund
      const address = parseOf(refund.family, 'address', body.address)
      const charge = { environment: key.environment, paidWith: [{ token, network }] }
      // A repeated approval must not fail because the issuer has restricted the address since the first one.
      if (refund.destination !== address)
        await requireTransferable(ask, charge, { token, network, account: address, param: 'address' })
      await requestRefund(sql, request, { chargeId, payload: { action: 'approve', refundId: id, address } })
      return presentRefund(await getRefund(sql, { tenant: key, id }))
    },
  })
}

type LinkRoute = Pick<Route, 'path' | 'operationId' | 'summary' | 'description' | 'errors'> & {
  readonly action: 'reject' | 'renew_link'
}

/** Builds a route that creates a link, and has the daemon replace the previous link. */
function linkRoute({ sql, config }: Deps, { action, ...described }: LinkRoute): Route {
  return keyedRoute({
    ...described,
    method: 'POST',
    scope: 'refunds:write',
    success: { status: 200, body: RefundWithLink },
    handle: async (request) => {
      const { key, params } = request
      const { id, chargeId } = await getRefund(sql, { tenant: key, id: params['id'] })
      const link: ClaimLink = createClaimLink(config.checkoutBaseUrl, chargeId)
      const payload = { action, refundId: id, claimHash: link.claimHash }
      await requestRefund(sql, request, { chargeId, payload })
      return presentRefundWithLink(await getRefund(sql, { tenant: key, id }), link)
    },
  })
}
