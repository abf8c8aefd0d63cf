import type { Db } from '../../connect.ts'

/** Ponder's login user and its roles. */
export type PonderUser = {
  readonly name: string
  readonly database: string
  readonly isPonder: boolean
  /** Whether the user also has another of our roles, as a superuser does. */
  readonly hasOtherRole: boolean
}

/** Reads Ponder's user from a session of that user. */
export async function readPonderUser(ponder: Db): Promise<PonderUser> {
  const [user] = await ponder<[PonderUser]>`
    select session_user as name, current_database() as database,
      pg_has_role(session_user, 'svc_ponder', 'usage') as is_ponder,
      exists (
        select from unnest(array['svc_api', 'svc_daemon', 'svc_operator']) as r (name)
        where pg_has_role(session_user, r.name, 'usage')) as has_other_role`
  return user
}

/** The daemon's login user and its rights relative to Ponder's user. */
export type DaemonUser = {
  readonly name: string
  readonly database: string
  /** Whether the daemon's user has the rights of Ponder's user on Ponder's tables. */
  readonly isMember: boolean
  /** Other owners of Ponder's schemas: Ponder's previous users. */
  readonly otherOwners: readonly string[]
}

/** Reads the daemon's user from a session of that user. */
export async function readDaemonUser(db: Db, ponderUser: string): Promise<DaemonUser> {
  const [user] = await db<[DaemonUser]>`
    select session_user as name, current_database() as database,
      pg_has_role(session_user, ${ponderUser}::name, 'usage') as is_member,
      array(
        select distinct pg_get_userbyid(n.nspowner)::text from pg_namespace n
        where (n.nspname = 'ponder_sync' or n.nspname in (select ponder_schema from feeds))
          and pg_get_userbyid(n.nspowner) <> ${ponderUser}) as other_owners`
  return user
}
