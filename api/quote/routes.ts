import type { GetCharge } from '../charges/get-charge.ts'
import { keyedRoute, type Route } from '../route.ts'
import { type QuoteDeps, quoteCharge } from './quote-charge.ts'
import { quoteRules } from './rules.ts'
import { QuoteBody, SwapQuote } from './schema.ts'

/** The endpoint of swap-to-pay. */
export function quoteRoutes(deps: QuoteDeps & { readonly getCharge: GetCharge }): readonly Route[] {
  return [
    keyedRoute({
      method: 'POST',
      path: '/v1/charges/:id/quote',
      operationId: 'quoteCharge',
      summary: 'Quote paying what remains of a charge with another asset',
      description:
        'Pass an entry of `swapAlternatives`. The answer is a transaction that buys exactly what remains and sends it to the charge; whatever it costs less than `inputAmount` comes back to `takerAddress` in it. Each quote was checked to pay this charge and nothing else, and is to be sent before `expiresAt`. At most 10 quotes a minute for each charge, besides those on its page. `503 swap_quote_failed`: the provider gave none, or one that was refused.',
      scope: 'charges:write',
      body: {
        schema: QuoteBody,
        rules: quoteRules,
      },
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
      handle: async (ctx, request) => {
        const read = () => deps.getCharge(request)
        ctx.body = await quoteCharge(deps, ctx, {
          read,
          body: request.body,
          now: request.key.now,
          from: 'key',
        })
      },
    }),
  ]
}
