import { ConfigError } from './config-error.ts'

/**
 * Under these a confirmed commit is on the disk of the primary at least. `off` confirms it before; `local` confirms it
 * before a synchronous standby has it, so that a failover loses it.
 */
const DURABLE: readonly string[] = ['on', 'remote_write', 'remote_apply']

type CommitSetting = { readonly user: string; readonly synchronousCommit: string }

/**
 * Creates the function that reads a session's `synchronous_commit` and throws if a confirmed commit could be lost.
 *
 * It costs one round trip, as a ping does. A process calls it at its start and then in place of each ping: a session that
 * was opened after a failover, or under a changed role, is refused within seconds.
 *
 * @param isOn - `false` only reads it, for databases that may lose everything
 * @returns a function that throws {ConfigError} with the statement that mends the setting
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

/** Creates the same function that also calls `onRefused` with the error: for watches that only hear of silence. */
export function reportRefusal(
  check: () => Promise<void>,
  onRefused: (error: ConfigError) => unknown,
): () => Promise<void> {
  return () =>
    check().catch((error: unknown) => {
      if (error instanceof ConfigError) onRefused(error)
      throw error
    })
}
