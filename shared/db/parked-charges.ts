import type { Db } from './connect.ts'

/** Puts a charge aside whose turn fails for itself alone; an operator is alerted and may take it up again. */
export async function parkCharge(db: Db, id: string): Promise<void> {
  await db`update charges set parked_at = now() where id = ${id}`
}
