import type { Sql } from '../../shared/db/connect.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import { keyedRoute, type Route } from '../route.ts'
import { listOfferedPairs } from './offered.ts'
import { Capabilities } from './schema.ts'

type Deps = { readonly sql: Sql; readonly config: Pick<ApiConfig, 'deployments'> }

/** The endpoint of what can be accepted. */
export function networkRoutes({ sql, config: { deployments } }: Deps): readonly Route[] {
  return [
    keyedRoute({
      method: 'GET',
      path: '/v1/networks',
      operationId: 'listNetworks',
      summary: "List what can be accepted now in the key's environment",
      scope: null,
      success: { status: 200, body: Capabilities },
      errors: [],
      handle: async (ctx, { key }) => {
        const pairs = await listOfferedPairs({ sql, deployments }, key.environment)
        ctx.body = { acceptedPayments: pairs.map(({ token, network }) => ({ token, network })) }
      },
    }),
  ]
}
