import type { Context } from 'koa'
import type { Sql } from '../../shared/db/connect.ts'
import type { AuthenticatedKey } from '../../shared/db/organizations/api/authenticate.ts'
import { listClaimableDistributions } from '../../shared/db/payouts/api/pending-distributions.ts'
import { presentDistributionAvailable } from '../../shared/domain/present-distribution.ts'
import { eventFrame, idFrame } from '../streams/event-stream.ts'
import type { StreamHub } from '../streams/hub.ts'
import { findResumePosition } from '../streams/resume.ts'

type Deps = { readonly sql: Sql; readonly hub: StreamHub }

/**
 * Streams the keeper feed. Resumes after the client's last event, or starts with up to `limit` claimable distributions.
 *
 * A client that missed an event older than 24 hours starts over. The first frame is not an event. It contains the id to
 * resume after if the connection is lost before the first event.
 *
 * @throws {AppError} `sse_capacity`
 */
export async function followDistributions(
  { sql, hub }: Deps,
  follower: { ctx: Context; key: AuthenticatedKey; limit: number },
): Promise<void> {
  const { ctx, key, limit } = follower
  const { environment } = key
  const resumeAfter = await findResumePosition({ sql, ids: hub.ids }, ctx)
  // Read the position before the snapshot, so that an event between these two reads is sent, even though the snapshot
  // might already contain its distribution.
  const after = resumeAfter ?? hub.lastSeq()
  const snapshot =
    resumeAfter === null && limit > 0
      ? await listClaimableDistributions(sql, { environment, after: null, limit })
      : []
  const stream = hub.open(ctx, key.id)
  const id = hub.ids.ofEvent(after)
  stream.send(idFrame(id))
  for (const distribution of snapshot) {
    const data = JSON.stringify(presentDistributionAvailable(distribution))
    stream.send(eventFrame({ name: 'distribution', id, data }))
  }
  await hub.followDistributions(stream, { environment, after })
}
