import {
  type DaemonUser,
  type PonderUser,
  readDaemonUser,
  readPonderUser,
} from '../../shared/db/chain-facts/daemon/ponder-role.ts'
import { readCommitSetting } from '../../shared/db/commit-setting.ts'
import { connect, type Db } from '../../shared/db/connect.ts'
import { createCommitCheck } from '../../shared/runtime/commit-check.ts'
import { ConfigError } from '../../shared/runtime/config-error.ts'

/**
 * Rejects Ponder's database user if it has more privileges than Ponder needs, if the daemon could not read its tables,
 * or if its confirmed commits can be lost.
 *
 * @throws {ConfigError} with every problem, and its remedy
 */
export async function requirePonderRole(
  db: Db,
  { ponderDatabaseUrl, checksCommits }: Settings,
): Promise<void> {
  const ponder = connect({ url: ponderDatabaseUrl, applicationName: 'indexer', maxConnections: 1 })
  try {
    await createCommitCheck({ isOn: checksCommits, read: () => readCommitSetting(ponder) })()
    const user = await readPonderUser(ponder)
    const problems = findProblems(user, await readDaemonUser(db, user.name))
    if (problems.length > 0)
      throw new ConfigError(problems.map((problem) => `PONDER_DATABASE_URL: ${problem}`))
  } finally {
    await ponder.end({ timeout: 5 })
  }
}

type Settings = { readonly ponderDatabaseUrl: string; readonly checksCommits: boolean }

function findProblems(ponder: PonderUser, daemon: DaemonUser): readonly string[] {
  return [
    ...(ponder.database === daemon.database
      ? []
      : [
          `names the database ${ponder.database}, but INDEXER_DATABASE_URL ${daemon.database}: must be the same`,
        ]),
    ...(ponder.isPonder
      ? []
      : [`its user must be in the role of Ponder: grant svc_ponder to ${ponder.name}`]),
    ...(ponder.hasOtherRole
      ? [`its user ${ponder.name} is a superuser or has another of our roles: must have only svc_ponder`]
      : []),
    ...(daemon.isMember
      ? []
      : [`the daemon must be a member of its user: grant ${ponder.name} to ${daemon.name}`]),
    ...daemon.otherOwners.map(
      (owner) =>
        `Ponder's schemas owned by ${owner} must belong to the user of this URL: stop all daemons, then run: reassign owned by ${owner} to ${ponder.name}`,
    ),
  ]
}
