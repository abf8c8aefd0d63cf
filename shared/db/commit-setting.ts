import type { Db } from './connect.ts'

/** PostgreSQL's modes for confirming the commits of a session. */
export type CommitSetting = { readonly user: string; readonly synchronousCommit: string }

/** Reads `synchronous_commit` of the session that responds, and the session's user. */
export async function readCommitSetting(db: Db): Promise<CommitSetting> {
  const [setting] = await db<[CommitSetting]>`
    select session_user as user, current_setting('synchronous_commit') as synchronous_commit`
  return setting
}
