import type { Db } from './connect.ts'

/** A session's user, and PostgreSQL's mode for confirming the session's commits. */
export type CommitSetting = { readonly user: string; readonly synchronousCommit: string }

/** Reads `synchronous_commit` of the session that responds, and the session's user. */
export async function readCommitSetting(db: Db): Promise<CommitSetting> {
  const [setting] = await db<[CommitSetting]>`
    select session_user as user, current_setting('synchronous_commit') as synchronous_commit`
  return setting
}
