import type { Sql } from '../../../shared/db/connect.ts'
import { keyedRoute, type Route } from '../../http/route.ts'
import type { GetCharge } from '../get-charge.ts'
import type { PresentDeps } from '../present.ts'
import { checkCharge } from './check-charge.ts'
import { checkRules } from './rules.ts'
import { CheckBody, CheckedCharge } from './schema.ts'

type Deps = PresentDeps & { readonly sql: Sql; readonly getCharge: GetCharge }

/** Returns the endpoint that checks the chains for payments. */
export function checkRoutes(deps: Deps): readonly Route[] {
  return [
    keyedRoute({
      method: 'POST',
      path: '/v1/charges/:id/check',
      operationId: 'checkCharge',
      summary: 'Verify the on-chain payment state of a charge now',
      description:
        'Without `txHash`, scans the address for recent transfers; with it, checks only the named transaction. A charge can be checked once in 10 seconds, by all keys together. By default, an organization can make 100 checks a minute per environment. Checks on the page of the charge have their own limit.',
      scope: 'charges:write',
      extraLimit: 'checks',
      isExtraTakenByHandler: true,
      body: { schema: CheckBody, rules: checkRules, isOptional: true },
      success: { status: 200, body: CheckedCharge },
      errors: ['charge_not_found', 'payment_pair_not_accepted', 'request_in_progress', 'rpc_unavailable'],
      handle: (request, ctx) => checkCharge(deps, ctx, request),
    }),
  ]
}
