import { ConfigError } from './config-error.ts'

/**
 * Accepted values of `synchronous_commit`. `off` is rejected because it confirms a commit before the commit is on disk,
 * and `local` because it confirms a commit before a synchronous standby has received it, so a failover can lose it.
 */
const DURABLE: readonly string[] = ['on', 'remote_write', 'remote_apply']

type CommitSetting = { readonly user: string; readonly synchronousCommit: string }

/**
 * Creates the function that reads a session's `synchronous_commit` and throws if a confirmed commit could be lost.
 *
 * A check costs one round trip, like a ping. A process runs it at startup and then in place of each ping, so that a
 * session that was opened after a failover, or under a changed role, is rejected within seconds.
 *
 * @param options.isOn - if `false`, the function only reads the setting, for databases that may lose all data
 * @returns a function that throws {ConfigError} with the statement that fixes the setting
 */
export function createCommitCheck(options: {
  readonly isOn: boolean
  readonly read: () => Promise<CommitSetting>
}): () => Promise<void> {
  return async () => {
    const { user, synchronousCommit: value } = await options.read()
    if (!options.isOn || DURABLE.includes(value)) return
    throw new ConfigError([
      `synchronous_commit of the database user ${user} is ${value}: must be on, remote_write or remote_apply, or a confirmed payment can be lost; alter role ${user} set synchronous_commit = on`,
    ])
  }
}

/** Wraps a check to call `onRefused` with each `ConfigError`, for callers that tolerate a failed check. */
export function reportRejection(
  check: () => Promise<void>,
  onRefused: (error: ConfigError) => unknown,
): () => Promise<void> {
  return () =>
    check().catch((error: unknown) => {
      if (error instanceof ConfigError) onRefused(error)
      throw error
    })
}
