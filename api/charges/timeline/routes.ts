import { listTimeline, MAX_TIMELINE_ENTRIES } from '../../../shared/db/charges/api/timeline.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import { isId } from '../../../shared/domain/ids.ts'
import { keyedRoute, type Route } from '../../http/route.ts'
import { createChargeNotFound } from '../get-charge.ts'
import { presentTimelineEntry } from './present.ts'
import { Timeline } from './schema.ts'

/** The endpoint of a charge's history. */
export function timelineRoutes({ sql }: { readonly sql: Sql }): readonly Route[] {
  return [
    keyedRoute({
      method: 'GET',
      path: '/v1/charges/:id/timeline',
      operationId: 'listTimeline',
      summary: 'List what happened to a charge, oldest first',
      description: `A bare array without pages: the oldest ${MAX_TIMELINE_ENTRIES.toLocaleString('en')} entries, should there ever be more.`,
      scope: 'charges:read',
      success: { status: 200, body: Timeline },
      errors: ['charge_not_found'],
      handle: async ({ key, params }) => {
        const id = params['id'] ?? ''
        const rows = isId('ch', id) ? await listTimeline(sql, { tenant: key, id }) : []
        // Being created is the first thing that happens to any charge.
        if (rows.length === 0) throw createChargeNotFound(id)
        return rows.map(presentTimelineEntry)
      },
    }),
  ]
}
