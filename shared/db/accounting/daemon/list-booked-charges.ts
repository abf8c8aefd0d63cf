import type { Db } from '../../connect.ts'

/** Lists the ids of charges with counted money, in ascending order, after the id `after`. */
export async function listBookedChargeIds(
  db: Db,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly string[]> {
  const rows = await db<{ id: string }[]>`
    select c.id from charges c
    where c.id > ${after}
      and (c.received_atto is not null or exists (select from charge_ledgers l where l.charge_id = c.id))
    order by c.id limit ${limit}`
  return rows.map(({ id }) => id)
}

/**
 * Locks charges in the order of their ids, including quarantined ones, so that no turn counts a row before the
 * transaction ends.
 */
export async function lockForBooks(db: Db, ids: readonly string[]): Promise<void> {
  await db`select from charges where id = any (${ids}) order by id for no key update`
}
