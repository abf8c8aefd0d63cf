import { setTimeout as delay } from 'node:timers/promises'
import type { Sql } from './connect.ts'

/**
 * Maximum checks for the notification, and the pause between two checks, in milliseconds. A notification normally
 * arrives within milliseconds of its commit.
 */
const HEARD_WITHIN = { looks: 200, restMs: 10 }

/** Returns an empty list if the first session receives a notification of the second session; otherwise the problem. */
export async function findDeafnessProblem(
  first: Sql,
  second: Sql,
  { nonce, heard }: { readonly nonce: number; readonly heard: ReadonlySet<string> },
): Promise<readonly string[]> {
  await first`listen svc_check`
  await second`select pg_notify('svc_check', ${String(nonce)})`
  for (let look = 0; look < HEARD_WITHIN.looks; look += 1) {
    await first`select 1`
    if (heard.has(String(nonce))) return []
    await delay(HEARD_WITHIN.restMs)
  }
  return [
    'a listening session received no notification: connect directly to PostgreSQL, or through a pooler in session mode',
  ]
}
