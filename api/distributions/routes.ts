import type { Sql } from '../../shared/db/connect.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import { keyedRoute, type Route } from '../http/route.ts'
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

/** Returns the endpoints of the keeper feed. Every key can read all distributions of its environment. */
export function distributionRoutes(deps: Deps): readonly Route[] {
  return [
    keyedRoute({
      method: 'GET',
      path: '/v1/distributions/pending',
      operationId: 'listPendingDistributions',
      summary: 'List the distributions that anyone may execute',
      description:
        'Lists the distributions of all organizations, longest available first. The keeper feed is public to every key of the environment.',
      scope: null,
      query: ListDistributionsQuery,
      success: { status: 200, body: DistributionPage },
      errors: [],
      handle: (request) => listDistributions(deps, request),
    }),

    keyedRoute({
      method: 'GET',
      path: '/v1/distributions/pending/events',
      operationId: 'followPendingDistributions',
      summary: 'Follow the distributions that anyone may execute as server-sent events',
      description:
        'Keep a map by split, network and token: additions and removals are idempotent. With `Last-Event-ID`, the stream continues after the last event received, unless an event that it would have to replay is more than 24 hours old. In that case, it starts over, as without `Last-Event-ID`.',
      scope: null,
      query: FollowDistributionsQuery,
      success: {
        status: 200,
        body: 'event-stream',
        isResumable: true,
        events: [
          {
            name: 'distribution',
            summary: 'A distribution has become available or was claimed.',
            data: DistributionChange,
          },
        ],
      },
      errors: ['sse_capacity'],
      handle: ({ key, query }, ctx) => followDistributions(deps, { ctx, key, limit: query.limit ?? 0 }),
    }),
  ]
}
