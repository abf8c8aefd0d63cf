import { ConfigError } from './config-error.ts'

/** The repeated check of a process's database. */
export type DatabaseCheck = {
  /** Throws if the database is unsuitable or unreachable. Costs one round trip unless it compares two sessions. */
  readonly check: () => Promise<void>
  /** Makes the next check compare two new sessions, like the first. A process calls it when a connection has closed. */
  readonly repeat: () => void
}

type Options = {
  /** Checks that confirmed commits cannot be lost (`commit-check`). */
  readonly checkCommits: () => Promise<void>
  /** Opens two sessions and returns their problems. */
  readonly findSessionProblems: () => Promise<readonly string[]>
}

/**
 * Creates the check that a process runs at startup and then in place of each ping, so that two sessions are compared
 * again within seconds of a failover, a changed address or a new pooler.
 */
export function createDatabaseCheck({ checkCommits, findSessionProblems }: Options): DatabaseCheck {
  let isDue = true
  return {
    check: async () => {
      await checkCommits()
      if (!isDue) return
      isDue = false
      try {
        await requireSessions(findSessionProblems)
      } catch (error) {
        isDue = true
        throw error
      }
    },
    repeat: () => {
      isDue = true
    },
  }
}

/** @throws {ConfigError} with the problems and their fixes */
export async function requireSessions(findSessionProblems: () => Promise<readonly string[]>): Promise<void> {
  const problems = await findSessionProblems()
  if (problems.length > 0) throw new ConfigError(problems.map((problem) => `database: ${problem}`))
}
