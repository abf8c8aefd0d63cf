import type { Context } from 'koa'
import type { Sql } from '../../shared/db/connect.ts'
import type { AuthenticatedKey } from '../../shared/db/organizations/api/authenticate.ts'
import { createWebhookSecret } from '../../shared/domain/webhook-secret.ts'
import { eventFrame } from '../streams/event-stream.ts'
import type { StreamHub } from '../streams/hub.ts'
import { findResumePosition } from '../streams/resume.ts'

type Deps = { readonly sql: Sql; readonly hub: StreamHub }

/**
 * Streams every webhook event of the key's organization and environment, in the format of a delivery. Resumes after the
 * client's last event if possible.
 *
 * The first frame, `ready`, contains a secret for this connection. A client that forwards events to a local receiver
 * signs them with this secret, so that the developer need not copy a webhook's secret.
 *
 * @throws {AppError} `sse_capacity`
 */
export async function listenToWebhookEvents(
  { sql, hub }: Deps,
  { ctx, key }: { ctx: Context; key: AuthenticatedKey },
): Promise<void> {
  const after = (await findResumePosition({ sql, ids: hub.ids }, ctx)) ?? hub.lastSeq()
  const stream = hub.open(ctx, key.id)
  const data = JSON.stringify({ secret: createWebhookSecret() })
  stream.send(eventFrame({ name: 'ready', id: hub.ids.ofEvent(after), data }))
  await hub.followWebhookEvents(stream, { tenant: key, after })
}
