import type { Sql } from '../../shared/db/connect.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import type { GetCharge } from '../charges/get-charge.ts'
import { type PresentDeps, presentCurrentCharge } from '../charges/present.ts'
import { Charge } from '../charges/schema.ts'
import { keyedRoute, type Route } from '../http/route.ts'
import { sandboxTriggerRules } from './rules.ts'
import { SandboxTriggerBody } from './schema.ts'
import { triggerCharge } from './trigger-charge.ts'

type Deps = PresentDeps & { readonly sql: Sql; readonly config: ApiConfig; readonly getCharge: GetCharge }

/** Returns the endpoint that simulates events of test charges. */
export function sandboxRoutes(deps: Deps): readonly Route[] {
  const { sql, getCharge } = deps
  return [
    keyedRoute({
      method: 'POST',
      path: '/v1/sandbox/charges/:id/trigger',
      operationId: 'triggerSandboxEvent',
      summary: 'Simulate an event of a test charge: a payment, an expiry, a settlement or a refund',
      description:
        'Uses no chain. The charge, its events and its webhooks behave as for a real event. A simulated payment has no `txHash` and uses the first accepted pair unless `token` and `network` name another pair. An escrow that has received only simulated payments is itself simulated. Its releaser must still sign the release or refund, but no transaction is sent. After a release, trigger `charge.settled` to settle the charge. Once the charge is also paid on a testnet, only the funds on the chain can be moved.',
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
      handle: async (request) => {
        if (request.key.environment !== 'test') {
          throw new AppError('forbidden', 'the sandbox accepts only test keys; this key is live')
        }
        await triggerCharge(sql, await getCharge(request), request)
        return presentCurrentCharge(await getCharge(request), deps)
      },
    }),
  ]
}
