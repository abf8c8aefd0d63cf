import type { Address } from '../../../domain/address.ts'
import type { Db } from '../../connect.ts'

/** One generation of Ponder's tables for a deployment. */
export type Feed = {
  readonly ponderSchema: string
  readonly startBlock: number
  /** Contracts whose transfers the feed reads; lowercase, sorted. */
  readonly emitters: readonly Address[]
}

/** Lists a chain's generations that are not retired, oldest first. The oldest is in use. */
export async function listFeeds(db: Db, chainId: number): Promise<readonly Feed[]> {
  return db<Feed[]>`
    select ponder_schema, start_block, emitters from feeds
    where chain_id = ${chainId} and retired_at is null order by created_at`
}

/** Inserts a generation. A retired generation becomes active again and continues from the block where it stopped. */
export async function insertFeed(db: Db, feed: Feed & { readonly chainId: number }): Promise<void> {
  await db`
    insert into feeds (ponder_schema, chain_id, start_block, emitters)
    values (${feed.ponderSchema}, ${feed.chainId}, ${feed.startBlock}, ${[...feed.emitters]})
    on conflict (ponder_schema) do update set retired_at = null, created_at = now()`
}

/** Retires all generations of a chain except this one. Their Ponder processes must have stopped before this call. */
export async function retireOtherFeeds(
  db: Db,
  feed: { chainId: number; ponderSchema: string },
): Promise<void> {
  await db`
    update feeds set retired_at = now()
    where chain_id = ${feed.chainId} and ponder_schema <> ${feed.ponderSchema} and retired_at is null`
}

/** Lists the existing schemas of generations that were retired more than an hour ago. */
export async function listRetiredSchemas(db: Db, chainId: number): Promise<readonly string[]> {
  const rows = await db<{ ponderSchema: string }[]>`
    select ponder_schema from feeds
    where chain_id = ${chainId} and retired_at < now() - interval '1 hour' and to_regnamespace(ponder_schema) is not null`
  return rows.map(({ ponderSchema }) => ponderSchema)
}
