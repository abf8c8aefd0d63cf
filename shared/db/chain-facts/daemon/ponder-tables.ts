import type { Address, Hex } from '../../../domain/address.ts'
import { invariant } from '../../../domain/errors.ts'
import { type Db, errorCode, type Sql } from '../../connect.ts'
import { inSnapshot } from '../../transaction.ts'

/** Position of a log in Ponder's current chain. The timestamp is the block's, in Unix seconds. */
type LogPosition = {
  readonly txHash: Hex
  readonly logIndex: number
  readonly blockNumber: number
  readonly blockHash: Hex
  readonly blockTimestamp: number
}

/** A row of Ponder's `transfer` table. The value is in the emitter's atomic units. */
export type PonderTransfer = LogPosition & {
  readonly emitter: Address
  readonly sender: Address
  readonly recipient: Address
  readonly value: bigint
}

/**
 * A row of Ponder's `split_event` table. `account` is the distributor, or the recipient of a held or released share.
 */
export type PonderSplitEvent = LogPosition & {
  readonly split: Address
  readonly kind: 'distributed' | 'held' | 'released'
  readonly token: Address
  readonly account: Address
  readonly amount: bigint
}

/** A block's number and its timestamp in Unix seconds. */
export type BlockTime = { readonly number: number; readonly timestamp: number }

/** Consistent snapshot of Ponder's data for one chain. */
export type PonderSnapshot = {
  readonly head: BlockTime
  readonly finalized: BlockTime
  /** The highest recorded head at confirmation depth; `null` if there is none. */
  readonly deep: BlockTime | null
  readonly transfers: readonly PonderTransfer[]
  readonly splitEvents: readonly PonderSplitEvent[]
}

/**
 * Maximum wait for the lock of a Ponder table. It must be well below PostgreSQL's deadlock_timeout of 1 s. A starting
 * Ponder locks its tables one by one in a single transaction. Without this limit, a reader that has locked one table
 * and waits for another would cause a deadlock, and PostgreSQL would abort Ponder's transaction. Ponder would then
 * retry for 75 s, and our feed would stall.
 */
const LOCK_TIMEOUT = '200ms'

/** Returns whether Ponder has created its tables in a schema. */
export async function hasCheckpoint(db: Db, schema: string): Promise<boolean> {
  const [row] = await db`
    select 1 from information_schema.tables where table_schema = ${schema} and table_name = '_ponder_checkpoint'`
  return row !== undefined
}

/**
 * Installs triggers on Ponder's tables. `record_head` records each head in Ponder's own transaction, and makes its
 * commit durable. `require_owner_epoch` makes the transactions of an earlier owner's Ponder fail. Migration 000004
 * gives the reasons. Idempotent.
 */
export async function installTriggers(db: Db, schema: string): Promise<void> {
  const head = 'record_head after insert or update'
  const owner = 'require_owner_epoch before insert or update or delete'
  // One table per statement, because locking several tables in another order than a starting Ponder could deadlock.
  await installTrigger(db, { schema, table: '_ponder_checkpoint', trigger: head, each: 'row' })
  for (const table of ['_ponder_checkpoint', 'transfer', 'split_event']) {
    await installTrigger(db, { schema, table, trigger: owner, each: 'statement' })
  }
}

async function installTrigger(
  db: Db,
  { schema, table, trigger, each }: { schema: string; table: string; trigger: string; each: string },
): Promise<void> {
  const place = `"${identifier(schema)}".${identifier(table)}`
  const [name = ''] = trigger.split(' ')
  await db.unsafe(`
    do $$ begin
      if not exists (select from pg_trigger where tgname = '${name}' and tgrelid = '${place}'::regclass) then
        create trigger ${trigger} on ${place} for each ${each} execute function public.${name}();
      end if;
    end $$`)
}

/**
 * Reads the head, the confirmed head and all rows from `fromBlock` on in one repeatable-read snapshot. The transaction
 * ends immediately, because a reader's open transaction delays Ponder's reorganizations (4.7 s observed).
 *
 * @returns the snapshot; `null` while Ponder locks its tables or is not ready. A restarted Ponder is not ready while
 * its tables have the old head without the unfinalized rows
 */
export async function readSnapshot(sql: Sql, feed: SnapshotQuery): Promise<PonderSnapshot | null> {
  return inSnapshot(sql, (db) => readState(db, feed)).catch((error: unknown) => {
    if (errorCode(error) === LOCK_NOT_AVAILABLE) return null
    throw error
  })
}

const LOCK_NOT_AVAILABLE = '55P03'

async function readState(db: Db, feed: SnapshotQuery): Promise<PonderSnapshot | null> {
  const schema = identifier(feed.schema)
  await db.unsafe(`set local lock_timeout = '${LOCK_TIMEOUT}'`)
  const [state] = await db<CheckpointRow[]>`
    select (m.value ->> 'is_ready')::int as is_ready,
      substr(c.latest_checkpoint, 27, 16)::int8 as head_number,
      substr(c.latest_checkpoint, 1, 10)::int8 as head_timestamp,
      substr(c.finalized_checkpoint, 27, 16)::int8 as watermark_number,
      substr(c.finalized_checkpoint, 1, 10)::int8 as finalized_timestamp
    from ${db(schema)}._ponder_checkpoint c
    cross join ${db(schema)}._ponder_meta m where m.key = 'app'`
  if (state?.isReady !== 1) return null
  return {
    head: { number: state.headNumber, timestamp: state.headTimestamp },
    finalized: { number: state.watermarkNumber, timestamp: state.finalizedTimestamp },
    deep: await readDeepHead(db, { schema, maxNumber: state.headNumber - feed.confirmations + 1 }),
    transfers: await readTransfers(db, feed),
    splitEvents: await readSplitEvents(db, feed),
  }
}

type SnapshotQuery = {
  readonly schema: string
  readonly fromBlock: number
  readonly confirmations: number
}

type CheckpointRow = {
  isReady: number
  headNumber: number
  headTimestamp: number
  watermarkNumber: number
  finalizedTimestamp: number
}

type Range = { readonly schema: string; readonly fromBlock: number }

async function readDeepHead(db: Db, head: { schema: string; maxNumber: number }): Promise<BlockTime | null> {
  const [row] = await db<BlockTime[]>`
    select number, timestamp from chain_heads
    where ponder_schema = ${head.schema} and number <= ${head.maxNumber} order by number desc limit 1`
  return row ?? null
}

async function readTransfers(db: Db, { schema, fromBlock }: Range): Promise<readonly PonderTransfer[]> {
  return db<PonderTransfer[]>`
    select tx_hash, log_index, block_number::int8, block_hash, block_timestamp::int8, emitter, sender, recipient, value
    from ${db(schema)}.transfer where block_number >= ${fromBlock}::int8 order by block_number, log_index`
}

async function readSplitEvents(db: Db, { schema, fromBlock }: Range): Promise<readonly PonderSplitEvent[]> {
  return db<PonderSplitEvent[]>`
    select tx_hash, log_index, block_number::int8, block_hash, block_timestamp::int8, split, kind, token, account, amount
    from ${db(schema)}.split_event where block_number >= ${fromBlock}::int8 order by block_number, log_index`
}

/** Checks and returns a schema name. All names are our own. The check only keeps a mistake from becoming SQL. */
function identifier(schema: string): string {
  invariant(/^[a-z_][a-z0-9_]{0,62}$/.test(schema), `schema name ${schema} is not a plain identifier`)
  return schema
}
