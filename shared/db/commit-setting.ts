import type { Db } from './connect.ts'

/** A session's user and its `synchronous_commit` setting. */
export type CommitSetting = { readonly user: string; readonly synchronousCommit: string }

export async function readCommitSetting(db: Db): Promise<CommitSetting> {
  const [setting] = await db<[CommitSetting]>`
    select session_user as user, current_setting('synchronous_commit') as synchronous_commit`
  return setting
}
