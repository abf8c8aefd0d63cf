import type { Address, ChainFamilyName } from '../../../domain/address.ts'
import type { Tenant } from '../../../domain/tenant.ts'
import type { Db } from '../../connect.ts'

/** A recipient that is not revoked. */
export type Recipient = Pick<Tenant, 'environment'> & {
  readonly id: string
  readonly address: Address
  readonly family: ChainFamilyName
  readonly label: string | null
  /** Whether the address may be a key's own payout address. */
  readonly payout: boolean
  readonly createdAt: Date
}

/** A cursor needs the creation time in microseconds, because a `Date` has only milliseconds. */
export type ListedRecipient = Recipient & { readonly createdAtMicros: number }

/**
 * Registers an address. An earlier registration is no longer revoked, loses `payout`, and keeps its label unless a new
 * label is given.
 *
 * A key that was stopped because of this address stays stopped (decisions 6.1).
 */
export async function registerRecipient(
  db: Db,
  recipient: Tenant & Pick<Recipient, 'id' | 'address' | 'family' | 'label'>,
): Promise<Recipient> {
  const [registered] = await db<[Recipient]>`
    insert into recipients as r (id, organization_id, environment, address, family, label)
    values (${recipient.id}, ${recipient.organizationId}, ${recipient.environment}, ${recipient.address},
      ${recipient.family}, ${recipient.label})
    on conflict (organization_id, environment, address, family)
    do update set label = coalesce(excluded.label, r.label), payout = false, revoked_at = null
    returning ${columns(db)}`
  return registered
}

/** Lists a tenant's recipients that are not revoked, newest first. */
export async function listRecipients(
  db: Db,
  input: {
    readonly tenant: Tenant
    readonly after: { readonly createdAtMicros: number; readonly id: string } | null
    readonly limit: number
  },
): Promise<readonly ListedRecipient[]> {
  const { tenant, after, limit } = input
  return await db<ListedRecipient[]>`
    select ${columns(db)}, (extract(epoch from r.created_at) * 1000000)::bigint as created_at_micros
    from recipients r
    where ${isOf(db, tenant)}
      ${
        after === null
          ? db``
          : db`and (r.created_at, r.id)
            < ('epoch'::timestamptz + ${after.createdAtMicros}::bigint * interval '1 microsecond', ${after.id})`
      }
    order by r.created_at desc, r.id desc
    limit ${limit}`
}

/** Finds a tenant's recipient that is not revoked. */
export async function findRecipient(
  db: Db,
  { tenant, id }: { readonly tenant: Tenant; readonly id: string },
): Promise<Recipient | null> {
  const [recipient] = await db<Recipient[]>`
    select ${columns(db)} from recipients r where r.id = ${id} and ${isOf(db, tenant)}`
  return recipient ?? null
}

/**
 * Sets whether a recipient may be a key's own payout address. If so, keys that were stopped because of this address
 * work again (decisions 6.1).
 *
 * @returns the recipient, or `null` if the tenant has no such recipient
 */
export async function elevateRecipient(
  db: Db,
  { tenant, id, payout }: { readonly tenant: Tenant; readonly id: string; readonly payout: boolean },
): Promise<Recipient | null> {
  const [recipient] = await db<Recipient[]>`
    update recipients r
    set payout = ${payout}, payout_stopped_at = case when ${payout} then null else r.payout_stopped_at end
    where r.id = ${id} and ${isOf(db, tenant)}
    returning ${columns(db)}`
  return recipient ?? null
}

/**
 * Revokes a recipient if its kind, with or without `payout`, is allowed. If it has `payout`, the keys with its address
 * as payout address are stopped (decisions 6.1).
 *
 * @returns true if the recipient was revoked; false if the tenant has no such recipient of an allowed kind
 */
export async function revokeRecipient(
  db: Db,
  recipient: {
    readonly tenant: Tenant
    readonly id: string
    readonly allowed: { readonly payout: boolean; readonly other: boolean }
  },
): Promise<boolean> {
  const { tenant, id, allowed } = recipient
  const { count } = await db`
    update recipients r
    set revoked_at = now(), payout_stopped_at = case when r.payout then now() else r.payout_stopped_at end
    where r.id = ${id} and ${isOf(db, tenant)}
      and case when r.payout then ${allowed.payout}::boolean else ${allowed.other}::boolean end`
  return count > 0
}

function columns(db: Db) {
  return db`r.id, r.environment, r.address, r.family, r.label, r.payout, r.created_at`
}

function isOf(db: Db, { organizationId, environment }: Tenant) {
  return db`r.organization_id = ${organizationId} and r.environment = ${environment} and r.revoked_at is null`
}

export type RegisteredRecipient = {
  readonly id: string
  readonly address: Address
  readonly family: ChainFamilyName
}

/** Lists those of these recipients that belong to the tenant and are not revoked, in any order. */
export async function findSplitRecipients(
  db: Db,
  input: { tenant: Tenant; ids: readonly string[] },
): Promise<readonly RegisteredRecipient[]> {
  const { tenant, ids } = input
  return await db<RegisteredRecipient[]>`
    select r.id, r.address, r.family from recipients r
    where r.id = any (${ids}) and r.organization_id = ${tenant.organizationId}
      and r.environment = ${tenant.environment} and r.revoked_at is null`
}
