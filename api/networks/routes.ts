import type { Sql } from '../../shared/db/connect.ts'
import { keyedRoute, type Route } from '../route.ts'
import { listOfferedPairs, type OfferConfig } from './offered.ts'
import { Capabilities } from './schema.ts'

type Deps = { readonly sql: Sql; readonly config: OfferConfig }

/** The endpoint of what can be accepted. */
export function networkRoutes({ sql, config }: Deps): readonly Route[] {
  return [
    keyedRoute({
      method: 'GET',
      path: '/v1/networks',
      operationId: 'listNetworks',
      summary: "List what can be accepted now in the key's environment",
      description:
        'For a test key besides: the pairs of testnets that are not configured here. A charge that accepts only such is simulated: nothing looks at a chain for it, and the sandbox makes everything happen to it.',
      scope: null,
      success: { status: 200, body: Capabilities },
      errors: [],
      handle: async (ctx, { key }) => {
        const pairs = await listOfferedPairs({ sql, ...config }, key.environment)
        ctx.body = { acceptedPayments: pairs.map(({ token, network }) => ({ token, network })) }
      },
    }),
  ]
}
