import type { Sql } from '../../shared/db/connect.ts'
import { keyedRoute, type Route } from '../http/route.ts'
import { listPublishedPairs, type PublishedPairsConfig } from './offered-pairs.ts'
import { Capabilities } from './schema.ts'

type Deps = { readonly sql: Sql; readonly config: PublishedPairsConfig }

/** Returns the endpoint that lists the available pairs. */
export function networkRoutes({ sql, config }: Deps): readonly Route[] {
  return [
    keyedRoute({
      method: 'GET',
      path: '/v1/networks',
      operationId: 'listNetworks',
      summary: "List the token and network pairs available in the key's environment",
      description:
        'For a test key the list also contains the pairs of testnets that are not configured. A charge that accepts only such pairs is simulated: the service reads no chain for it, and the sandbox triggers its events.',
      scope: null,
      success: { status: 200, body: Capabilities },
      errors: [],
      handle: async ({ key }) => {
        const pairs = await listPublishedPairs({ sql, ...config }, key.environment)
        return { acceptedPayments: pairs.map(({ token, network }) => ({ token, network })) }
      },
    }),
  ]
}
