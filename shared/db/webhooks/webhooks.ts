import type { WebhookEventCategory, WebhookEventType } from '../../domain/event.ts'
import type { Environment } from '../../domain/networks.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { Db } from '../connect.ts'

/** The events to which a webhook subscribes. */
export type Subscription = {
  readonly events: readonly (WebhookEventType | '*')[]
  readonly eventCategories: readonly WebhookEventCategory[]
  readonly excludeEvents: readonly WebhookEventType[]
}

export type WebhookRow = Subscription & {
  readonly id: string
  readonly url: string
  /** `null` for both environments. */
  readonly environment: Environment | null
  readonly secretHint: string
  readonly createdAt: Date
}

type NewWebhook = Omit<WebhookRow, 'environment'> & Tenant & { readonly secretSealed: Buffer }

/**
 * Inserts a webhook, unless its organization already has `limit` webhooks that are not deleted. Returns whether it was
 * inserted. Locks the organization's row until the transaction ends, so that simultaneous calls count each other's
 * webhooks.
 */
export async function insertWebhook(db: Db, webhook: NewWebhook, limit: number): Promise<boolean> {
  await db`select lock_organization(${webhook.organizationId})`
  const { count } = await db`
    insert into webhooks (id, organization_id, environment, url, events, event_categories, exclude_events,
      secret_sealed, secret_hint, created_at)
    select ${webhook.id}, ${webhook.organizationId}, ${webhook.environment}, ${webhook.url}, ${[...webhook.events]},
      ${[...webhook.eventCategories]}, ${[...webhook.excludeEvents]}, ${webhook.secretSealed},
      ${webhook.secretHint}, ${webhook.createdAt}
    where (select count(*) from webhooks
           where organization_id = ${webhook.organizationId} and deleted_at is null) < ${limit}`
  return count > 0
}

/** Lists a tenant's webhooks that are not deleted, newest first. `insertWebhook` limits their number. */
export async function listWebhooks(db: Db, tenant: Tenant): Promise<readonly WebhookRow[]> {
  return await db<WebhookRow[]>`
    select ${webhookColumns(db)} from webhooks
    where ${isOfTenant(db, tenant)} and deleted_at is null
    order by created_at desc, id desc`
}

/** Finds a tenant's webhook. With `orDeleted`, also finds a deleted webhook, whose deliveries stay readable. */
export async function findWebhook(
  db: Db,
  { tenant, id, orDeleted }: { tenant: Tenant; id: string; orDeleted: boolean },
): Promise<WebhookRow | null> {
  const [row] = await db<WebhookRow[]>`
    select ${webhookColumns(db)} from webhooks
    where id = ${id} and ${isOfTenant(db, tenant)} and (deleted_at is null or ${orDeleted})`
  return row ?? null
}

/**
 * Updates those fields of a tenant's webhook that are not `null` in the change.
 *
 * @returns the webhook, or `null` if it does not exist or would have neither an event nor a category left
 */
export async function updateWebhook(
  db: Db,
  change: {
    readonly tenant: Tenant
    readonly id: string
    readonly url: string | null
  } & { readonly [List in keyof Subscription]: Subscription[List] | null },
): Promise<WebhookRow | null> {
  const { tenant, id, url } = change
  const [events, categories, excluded] = [change.events, change.eventCategories, change.excludeEvents].map(
    (names) => names && [...names],
  )
  const [row] = await db<WebhookRow[]>`
    update webhooks set url = coalesce(${url}, url), events = coalesce(${events ?? null}::text[], events),
      event_categories = coalesce(${categories ?? null}::text[], event_categories),
      exclude_events = coalesce(${excluded ?? null}::text[], exclude_events)
    where id = ${id} and ${isOfTenant(db, tenant)} and deleted_at is null
      and cardinality(coalesce(${events ?? null}::text[], events))
        + cardinality(coalesce(${categories ?? null}::text[], event_categories)) > 0
    returning ${webhookColumns(db)}`
  return row ?? null
}

/** Deletes a tenant's webhook; a trigger ends its pending deliveries. Returns false if no such webhook exists. */
export async function deleteWebhook(
  db: Db,
  { tenant, id, at }: { tenant: Tenant; id: string; at: Date },
): Promise<boolean> {
  const { count } = await db`
    update webhooks set deleted_at = ${at}
    where id = ${id} and ${isOfTenant(db, tenant)} and deleted_at is null`
  return count > 0
}

/**
 * Gives a tenant's webhook a new secret. The previous secret also signs until `oldUntil`, or stops signing immediately
 * if that is `null`.
 *
 * @returns the webhook, or `null` if it does not exist
 */
export async function rotateWebhookSecret(
  db: Db,
  rotation: {
    tenant: Tenant
    id: string
    secretSealed: Buffer
    secretHint: string
    oldUntil: Date | null
  },
): Promise<WebhookRow | null> {
  const { tenant, id, secretSealed, secretHint, oldUntil } = rotation
  const [row] = await db<WebhookRow[]>`
    update webhooks set
      old_secret_sealed = case when ${oldUntil}::timestamptz is not null then secret_sealed end,
      old_secret_until = ${oldUntil}, secret_sealed = ${secretSealed}, secret_hint = ${secretHint}
    where id = ${id} and ${isOfTenant(db, tenant)} and deleted_at is null
    returning ${webhookColumns(db)}`
  return row ?? null
}

function webhookColumns(db: Db) {
  return db`id, url, events, event_categories, exclude_events, environment, secret_hint, created_at`
}

/** A webhook with a null environment belongs to both environments. */
function isOfTenant(db: Db, { organizationId, environment }: Tenant) {
  return db`organization_id = ${organizationId} and (environment is null or environment = ${environment})`
}
