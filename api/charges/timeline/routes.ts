import { listTimeline, MAX_TIMELINE_ENTRIES } from '../../../shared/db/charges/api/timeline.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import { isId } from '../../../shared/domain/ids.ts'
import { keyedRoute, type Route } from '../../http/route.ts'
import { createChargeNotFound } from '../get-charge.ts'
import { presentTimelineEntry } from './present.ts'
import { Timeline } from './schema.ts'

/** Returns the endpoint of a charge's history. */
export function timelineRoutes({ sql }: { readonly sql: Sql }): readonly Route[] {
  return [
    keyedRoute({
      method: 'GET',
      path: '/v1/charges/:id/timeline',
      operationId: 'listTimeline',
      summary: 'List the history of a charge, oldest first',
      description: `A bare array without pages: at most the oldest ${MAX_TIMELINE_ENTRIES.toLocaleString('en')} entries.`,
      scope: 'charges:read',
      success: { status: 200, body: Timeline },
      errors: ['charge_not_found'],
      handle: async ({ key, params }) => {
        const id = params['id'] ?? ''
        const rows = isId('ch', id) ? await listTimeline(sql, { tenant: key, id }) : []
        // The timeline of every charge contains at least its creation.
        if (rows.length === 0) throw createChargeNotFound(id)
        return rows.map(presentTimelineEntry)
      },
    }),
  ]
}
