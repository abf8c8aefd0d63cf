import type { Sql } from '../../shared/db/connect.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import type { GetCharge } from '../charges/get-charge.ts'
import { type PresentDeps, presentCurrentCharge } from '../charges/present.ts'
import { Charge } from '../charges/schema.ts'
import { keyedRoute, type Route } from '../route.ts'
import { sandboxTriggerRules } from './rules.ts'
import { SandboxTriggerBody } from './schema.ts'
import { triggerCharge } from './trigger-charge.ts'

type Deps = PresentDeps & { readonly sql: Sql; readonly config: ApiConfig; readonly getCharge: GetCharge }

/** The endpoint that makes things happen to charges of the test environment. */
export function sandboxRoutes(deps: Deps): readonly Route[] {
  const { sql, getCharge } = deps
  return [
    keyedRoute({
      method: 'POST',
      path: '/v1/sandbox/charges/:id/trigger',
      operationId: 'triggerSandboxEvent',
      summary: 'Simulate a payment, an expiry or a settlement of a test charge',
      description:
        'No chain is touched: the charge, its events and its webhooks behave as if it had happened. A simulated payment has no `txHash`, and counts as of the first accepted pair unless `token` and `network` name another. An escrow that was paid in this way alone is rehearsed: it holds what was so paid, is released or refunded by a real signature of its releaser without a transaction, and is settled by `charge.settled`. Once a testnet pays it too, only what is on the chain can be moved.',
      scope: 'sandbox:trigger',
      body: { schema: SandboxTriggerBody, rules: sandboxTriggerRules },
      success: { status: 200, body: Charge },
      errors: [
        'invalid_amount',
        'forbidden',
        'charge_not_found',
        'request_in_progress',
        'payment_pair_not_accepted',
        'invalid_trigger_state',
      ],
      handle: async (ctx, request) => {
        if (request.key.environment !== 'test') {
          throw new AppError('forbidden', 'the sandbox is for test keys; this one is live')
        }
        await triggerCharge(sql, await getCharge(request), request)
        ctx.type = 'json'
        ctx.body = presentCurrentCharge(await getCharge(request), deps)
      },
    }),
  ]
}
