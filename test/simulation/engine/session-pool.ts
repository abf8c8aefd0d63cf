import { openSession, type Session } from './session.ts'
import { type Message, queryMessage, startupTerms } from './wire.ts'

/** A started session, and the server's response to its start. */
type Begun = { readonly session: Session; readonly greeting: readonly Message[] }

export type SessionPool = {
  /** Starts a session with these startup bytes, or reuses a returned session with the same startup parameters. */
  readonly begin: (startup: Buffer) => Promise<Begun>
  /** Returns a session to the pool. Releases its locks and resets its settings, as if it had ended. */
  readonly giveBack: (session: Session) => Promise<void>
}

/**
 * Search path of every session. `public` contains replacements for functions of the catalog, such as `now()`. Without
 * `pg_catalog` in the path, the catalog would be searched first.
 */
export const OURS_FIRST = 'public, pg_catalog, pg_temp'

/**
 * Disables timeouts, because they would run in real time. Sets the search path, because the driver requests another one
 * at the start of a session.
 */
const SETTINGS = `set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set search_path = ${OURS_FIRST}`

/**
 * Resets everything that ends with a session except its prepared statements, whose names are unique on the server
 * (`statements.ts`).
 */
const LEAVE = `rollback; reset all; unlisten *; select pg_catalog.pg_advisory_unlock_all(); discard temp; ${SETTINGS}`

/**
 * Creates a pool that reuses the sessions of one database. The start and first statements of a new backend take longer
 * than a hundred later statements.
 */
export function createSessionPool(path: string): SessionPool {
  const left = new Map<string, Begun[]>()
  const termsOf = new Map<Session, { readonly terms: string; readonly begun: Begun }>()

  return {
    begin: async (startup) => {
      const terms = startupTerms(startup)
      const kept = left.get(terms)?.pop()
      if (kept !== undefined) return kept
      const session = openSession(path)
      const begun = { session, greeting: await session.ask(startup, 'Z') }
      await session.ask(queryMessage(SETTINGS), 'Z')
      termsOf.set(session, { terms, begun })
      return begun
    },
    giveBack: async (session) => {
      const known = termsOf.get(session)
      if (known === undefined) return
      await session.ask(queryMessage(LEAVE), 'Z')
      left.set(known.terms, [...(left.get(known.terms) ?? []), known.begun])
    },
  }
}
