import type { Sql } from '../../shared/db/connect.ts'
import { findOrganizations, type Organization } from '../../shared/db/organizations/daemon/organizations.ts'
import { CommandError } from '../../shared/runtime/command-line.ts'

/**
 * Finds an organization by its id or name.
 *
 * @throws {CommandError} if no organization or several organizations have that name
 */
export async function findOrganization(sql: Sql, name: string): Promise<Organization> {
  const [found, ...others] = await findOrganizations(sql, name)
  if (found === undefined) throw new CommandError(`there is no organization ${JSON.stringify(name)}`)
  if (others.length === 0) return found
  const ids = [found, ...others].map(({ id }) => id)
  throw new CommandError(
    `several organizations are named ${JSON.stringify(name)}: use one of the ids ${ids.join(', ')}`,
  )
}
