import { keyedRoute, type Route } from '../../http/route.ts'
import type { GetCharge } from '../get-charge.ts'
import { type QuoteDeps, quoteCharge } from './quote-charge.ts'
import { quoteRules } from './rules.ts'
import { QuoteBody, SwapQuote } from './schema.ts'

/** Returns the endpoint that quotes a swap for a charge. */
export function quoteRoutes(deps: QuoteDeps & { readonly getCharge: GetCharge }): readonly Route[] {
  return [
    keyedRoute({
      method: 'POST',
      path: '/v1/charges/:id/quote',
      operationId: 'quoteCharge',
      summary: 'Quote the amount due of a charge in another asset',
      description:
        'Pass an entry of `swapAlternatives`. The response contains a transaction that buys exactly the part of `amount` that was neither credited nor seen yet, and sends it to the charge. If the swap costs less than `inputAmount`, the same transaction returns the rest to `takerAddress`. The service checks that each quote pays only this charge. Send the transaction before `expiresAt`. At most 10 quotes a minute per charge; quotes on its page have their own limit. `503 swap_quote_failed`: the provider returned no quote, or the quote was rejected.',
      scope: 'charges:write',
      body: { schema: QuoteBody, rules: quoteRules },
      success: { status: 200, body: SwapQuote },
      errors: [
        'charge_not_found',
        'charge_not_payable',
        'swap_test_environment_unsupported',
        'payment_temporarily_unavailable',
        'swap_unavailable',
        'token_not_supported',
        'swap_quote_failed',
      ],
      handle: (request, ctx) => {
        const { body, key } = request
        return quoteCharge(deps, ctx, {
          read: () => deps.getCharge(request),
          ...{ body, now: key.now, from: 'key' },
        })
      },
    }),
  ]
}
