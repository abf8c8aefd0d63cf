import type { Sql } from '../../shared/db/connect.ts'
import { listAcceptablePairs } from '../../shared/db/pairs-read.ts'
import { keyedRoute, type Route } from '../route.ts'
import { Capabilities } from './schema.ts'

/** The endpoint of what can be accepted. */
export function networkRoutes({ sql }: { readonly sql: Sql }): readonly Route[] {
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
        const pairs = await listAcceptablePairs(sql, key.environment)
        ctx.body = { acceptedPayments: pairs.map(({ token, network }) => ({ token, network })) }
      },
    }),
  ]
}
