import type { Db } from './connect.ts'

/** A tenant. */
export type Organization = {
  readonly id: string
  readonly name: string
  /** Its own fee, a decimal percent; `null` for the configured one. */
  readonly feePercent: string | null
}

/** Finds the organizations with this id or name; a name is not unique. */
export async function findOrganizations(db: Db, idOrName: string): Promise<readonly Organization[]> {
  return await db<Organization[]>`
    select id, name, fee_percent::text from organizations
    where id = ${idOrName} or name = ${idOrName}
    order by id`
}

/** Inserts an organization. */
export async function insertOrganization(db: Db, organization: Organization): Promise<void> {
  const { id, name, feePercent } = organization
  await db`insert into organizations (id, name, fee_percent) values (${id}, ${name}, ${feePercent})`
}
