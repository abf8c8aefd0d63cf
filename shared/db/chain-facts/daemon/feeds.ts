import type { Address } from '../../../domain/address.ts'
import type { Db } from '../../connect.ts'

/** One generation of Ponder's tables for a deployment. */
export type Feed = {
  readonly ponderSchema: string
  readonly startBlock: number
  /** The contracts whose transfers it reads; lowercase, sorted. */
  readonly emitters: readonly Address[]
}

/** Lists the generations of a chain that are not retired, oldest first: the first is the one in use. */
export async function listFeeds(db: Db, chainId: number): Promise<readonly Feed[]> {
  return db<Feed[]>`
    select ponder_schema, start_block, emitters from feeds
    where chain_id = ${chainId} and retired_at is null order by created_at`
}

/** Writes down a new generation; one retired since takes its old place up again, and catches up from there. */
export async function insertFeed(db: Db, feed: Feed & { readonly chainId: number }): Promise<void> {
  await db`
    insert into feeds (ponder_schema, chain_id, start_block, emitters)
    values (${feed.ponderSchema}, ${feed.chainId}, ${feed.startBlock}, ${[...feed.emitters]})
    on conflict (ponder_schema) do update set retired_at = null, created_at = now()`
}

/** Retires every generation of a chain but this one; their Ponder processes are stopped by then. */
export async function retireOtherFeeds(
  db: Db,
  feed: { chainId: number; ponderSchema: string },
): Promise<void> {
  await db`
    update feeds set retired_at = now()
    where chain_id = ${feed.chainId} and ponder_schema <> ${feed.ponderSchema} and retired_at is null`
}
