import type { Sql } from '../../shared/db/connect.ts'
import type { ApiConfig } from '../../shared/runtime/config.ts'
import { keyedRoute, type Route } from '../route.ts'
import type { StreamHub } from '../streams/hub.ts'
import { followDistributions } from './follow-distributions.ts'
import { listDistributions } from './list-distributions.ts'
import { DistributionPage, FollowDistributionsQuery, ListDistributionsQuery } from './schema.ts'

type Deps = { readonly sql: Sql; readonly config: Pick<ApiConfig, 'cursorSecret'>; readonly hub: StreamHub }

/** The keeper feed: public to every valid key of the environment, whichever organization's. */
export function distributionRoutes(deps: Deps): readonly Route[] {
  return [
    keyedRoute({
      method: 'GET',
      path: '/v1/distributions/pending',
      summary: 'List what anyone may distribute',
      scope: null,
      extraLimit: 'distributions',
      query: ListDistributionsQuery,
      success: { status: 200, body: DistributionPage },
      errors: [],
      handle: async (ctx, request) => {
        ctx.body = await listDistributions(deps, request)
      },
    }),

    keyedRoute({
      method: 'GET',
      path: '/v1/distributions/pending/events',
      summary: 'Follow what anyone may distribute as server-sent events',
      scope: null,
      extraLimit: 'distributions',
      query: FollowDistributionsQuery,
      success: { status: 200, body: 'event-stream' },
      errors: ['sse_capacity'],
      handle: (ctx, { key, query }) => followDistributions(deps, { ctx, key, limit: query.limit ?? 0 }),
    }),
  ]
}
