import type { Sql } from '../../shared/db/connect.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import { keyedRoute, type Route } from '../route.ts'
import type { StreamHub } from '../streams/hub.ts'
import { followDistributions } from './follow-distributions.ts'
import { listDistributions } from './list-distributions.ts'
import {
  DistributionChange,
  DistributionPage,
  FollowDistributionsQuery,
  ListDistributionsQuery,
} from './schema.ts'

type Deps = { readonly sql: Sql; readonly config: Pick<ApiConfig, 'cursorSecrets'>; readonly hub: StreamHub }

/** The keeper feed: public to every valid key of the environment, whichever organization's. */
export function distributionRoutes(deps: Deps): readonly Route[] {
  return [
    keyedRoute({
      method: 'GET',
      path: '/v1/distributions/pending',
      operationId: 'listPendingDistributions',
      summary: 'List what anyone may distribute',
      description:
        'Longest available first, of all organizations: the keeper feed is public to every key of the environment.',
      scope: null,
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
      operationId: 'followPendingDistributions',
      summary: 'Follow what anyone may distribute as server-sent events',
      description:
        'Keep a map by split, network and token: additions and removals are idempotent. `Last-Event-ID` resumes within 24 hours.',
      scope: null,
      query: FollowDistributionsQuery,
      success: {
        status: 200,
        body: 'event-stream',
        isResumable: true,
        events: [
          { name: 'distribution', summary: 'Something can be, or was, claimed.', data: DistributionChange },
        ],
      },
      errors: ['sse_capacity'],
      handle: (ctx, { key, query }) => followDistributions(deps, { ctx, key, limit: query.limit ?? 0 }),
    }),
  ]
}
