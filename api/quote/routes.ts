import type { Sql } from '../../shared/db/connect.ts'
import { parseEvmAddress } from '../../shared/domain/address.ts'
import type { GetCharge } from '../charges/get-charge.ts'
import { keyedRoute, type Route } from '../route.ts'
import { quoteCharge } from './quote-charge.ts'
import { QuoteBody, SwapQuote } from './schema.ts'

type Deps = { readonly sql: Sql; readonly getCharge: GetCharge }

/** The endpoint of swap-to-pay. */
export function quoteRoutes(deps: Deps): readonly Route[] {
  return [
    keyedRoute({
      method: 'POST',
      path: '/v1/charges/:id/quote',
      operationId: 'quoteCharge',
      summary: 'Quote paying what remains of a charge with another asset',
      description:
        'No swap provider can be configured yet: until one can, the answer is never 200 but `503 swap_unavailable`, or `422 swap_test_environment_unsupported` for a test key. At most 10 quotes a minute for each charge.',
      scope: 'charges:write',
      body: {
        schema: QuoteBody,
        rules: {
          takerAddress: ({ takerAddress }) =>
            parseEvmAddress(takerAddress) === null
              ? {
                  param: 'takerAddress',
                  reason: 'must be 0x and 40 hex digits, in one case or with a checksum',
                }
              : null,
        },
      },
      success: { status: 200, body: SwapQuote },
      errors: [
        'charge_not_found',
        'charge_not_payable',
        'swap_test_environment_unsupported',
        'payment_temporarily_unavailable',
        'swap_unavailable',
      ],
      handle: (ctx, request) => quoteCharge(deps, ctx, request),
    }),
  ]
}
