import { openSession, type Session } from './session.ts'
import { type Message, queryMessage, startupTerms } from './wire.ts'

/** A session that has begun, and what the server said to that. */
type Begun = { readonly session: Session; readonly greeting: readonly Message[] }

export type SessionPool = {
  /** Begins a session for who starts with these bytes, or goes on with one that such a one has left. */
  readonly begin: (startup: Buffer) => Promise<Begun>
  /** Takes one back from who is gone: what he held is let go, as if it had ended. */
  readonly giveBack: (session: Session) => Promise<void>
}

/** Those are times of the world. */
const UNTIMED = 'set statement_timeout = 0; set idle_in_transaction_session_timeout = 0'

/** All that ends with a session but its statements, whose names are the server's. */
const LEAVE = `rollback; reset all; unlisten *; select pg_catalog.pg_advisory_unlock_all(); discard temp; ${UNTIMED}`

/**
 * Makes what keeps the sessions of one database for who comes next: a process of the server that must read the catalog
 * and think about its first statements costs more than a hundred of them.
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
      await session.ask(queryMessage(UNTIMED), 'Z')
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
