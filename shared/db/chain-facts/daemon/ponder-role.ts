import type { Db } from '../../connect.ts'

/** Whom Ponder logs in as, and what he may do. */
export type PonderUser = {
  readonly name: string
  readonly database: string
  readonly isPonder: boolean
  /** He has another role of ours too, or all of them, as a superuser has. */
  readonly hasOtherRole: boolean
}

/** Asks, by a session of Ponder's user, who that is. */
export async function readPonderUser(ponder: Db): Promise<PonderUser> {
  const [user] = await ponder<[PonderUser]>`
    select session_user as name, current_database() as database,
      pg_has_role(session_user, 'svc_ponder', 'usage') as is_ponder,
      exists (
        select from unnest(array['svc_api', 'svc_daemon', 'svc_operator']) as r (name)
        where pg_has_role(session_user, r.name, 'usage')) as has_other_role`
  return user
}

/** How the daemon's own user stands to Ponder's. */
export type DaemonUser = {
  readonly name: string
  readonly database: string
  /** He may do with Ponder's tables what Ponder may. */
  readonly isMember: boolean
  /** Who else owns schemas that Ponder writes in: an earlier user of it. */
  readonly otherOwners: readonly string[]
}

/** Asks, by a session of the daemon's user, how that one stands to Ponder's. */
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
