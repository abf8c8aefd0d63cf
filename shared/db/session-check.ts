import { randomInt } from 'node:crypto'
import { connect, errorCode, REQUESTED_SETTINGS, type Sql } from './connect.ts'
import { findLockProblems } from './session-locks.ts'
import { findDeafnessProblem } from './session-notices.ts'
import { hasOwnSession, readSessionState } from './session-state.ts'

type Options = {
  readonly url: string
  /** The idle timeout that the process sets for sessions that hold a lock. */
  readonly idleSessionTimeoutMs?: number
}

/** Thrown if the server is in recovery and accepts no writes. The server might become a primary within seconds. */
export class RecoveryError extends Error {
  /** The error code of a rejected write, so that callers retry. */
  readonly code = '25006'
}

/** The error code with which PgBouncer rejects start-up parameters that it does not know (protocol_violation). */
const REJECTED_PARAMETER = '08P01'

/** Upper bound of a check's random number, so high that processes that start together draw different numbers. */
const NONCES = 2 ** 31 - 1

/**
 * Opens two sessions as the process does, and finds problems that would make the database unsuitable.
 *
 * Poolers, and databases that are compatible with PostgreSQL, accept all of our statements, but some statements then
 * have no effect. Behind a pooler in transaction mode, two sessions get the same advisory lock, LISTEN receives no
 * notifications, and timeouts are dropped. Two daemons would then both own a chain. The check therefore tests the
 * behaviour and not the name of the server. It takes about thirty round trips.
 *
 * @returns problems, each with the required change; empty for a suitable database
 * @throws {RecoveryError} if the server is in recovery
 */
export async function findSessionProblems(options: Options): Promise<readonly string[]> {
  const heard = new Set<string>()
  const first = open(options, (_, payload) => heard.add(payload))
  const second = open(options)
  try {
    return await compare(options, { first, second, heard })
  } catch (error) {
    if (errorCode(error) !== REJECTED_PARAMETER || !(error instanceof Error)) throw error
    return [`the server of the connection rejects our start-up parameters (${error.message}): ${DIRECTLY}`]
  } finally {
    await Promise.all([first.end({ timeout: 0 }), second.end({ timeout: 0 })])
  }
}

const DIRECTLY =
  'connect directly to PostgreSQL, or through a pooler in session mode as in docs/availability.md'

type Sessions = { readonly first: Sql; readonly second: Sql; readonly heard: ReadonlySet<string> }

async function compare(options: Options, { first, second, heard }: Sessions): Promise<readonly string[]> {
  const state = await readSessionState(first)
  if (state.isInRecovery)
    throw new RecoveryError(
      'the server is in recovery and accepts no writes: connect to the primary, or wait until it is promoted',
    )
  const dropped = findDroppedSettings(state.settings, options)
  if (!(await hasOwnSession(first, second)))
    return [...dropped, `two connections share sessions of the server: ${DIRECTLY}`]
  const nonce = randomInt(NONCES)
  return [
    ...dropped,
    ...(await findDeafnessProblem(first, second, { nonce, heard })),
    // This check is the last, because it closes the second session.
    ...(state.mayLock ? await findLockProblems(first, second, nonce) : []),
  ]
}

/** Returns a problem for each requested setting that the server does not use. */
function findDroppedSettings(
  settings: Readonly<Record<string, string>>,
  { idleSessionTimeoutMs }: Options,
): readonly string[] {
  const expected: Readonly<Record<string, string>> = {
    ...REQUESTED_SETTINGS,
    ...(idleSessionTimeoutMs !== undefined && { idle_session_timeout: `${idleSessionTimeoutMs / 1000}s` }),
  }
  return Object.entries(expected)
    .filter(([name, value]) => settings[name] !== value)
    .map(
      ([name, value]) => `${name} is ${settings[name]} instead of ${value}: ${describeRemedy(name, value)}`,
    )
}

/**
 * Describes the remedy for a setting that the server does not use. Operators must not set `idle_session_timeout` for a
 * role, because this would end the idle sessions of the role's pools.
 */
function describeRemedy(name: string, value: string): string {
  if (name === 'idle_session_timeout') return 'a pooler drops it; connect the daemon directly to PostgreSQL'
  return `a pooler or the URL overrides it; alter role … set ${name} = ${name === 'search_path' ? value : `'${value}'`}`
}

function open(
  { url, idleSessionTimeoutMs }: Options,
  onNotification?: (channel: string, payload: string) => void,
): Sql {
  return connect({
    ...{ url, applicationName: 'session check', maxConnections: 1, keepsSessions: true },
    ...{ acceptsStandby: true, preparesStatements: false },
    ...(idleSessionTimeoutMs !== undefined && { idleSessionTimeoutMs }),
    ...(onNotification !== undefined && { onNotification }),
  })
}
