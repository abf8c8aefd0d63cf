import type { Sql } from '../../../shared/db/connect.ts'

/** An asynchronous standby of a history's database. */
export type Standby = {
  /** Receives all commits until now, and no later commits until the next call. */
  readonly receive: () => Promise<void>
  /**
   * Becomes the primary: the database continues with the commits that the standby has received. All sessions of the
   * simulated processes must have ended.
   */
  readonly promote: () => Promise<void>
}

/**
 * Creates a model of an asynchronous standby, whose failover loses the commits that it has not received.
 *
 * The standby is a copy of the service's tables and sequences in its own schema, taken in one snapshot. Promotion
 * replaces all rows with the copied rows. Limits of the model:
 *
 * - Ponder's tables lose nothing, because the model of Ponder keeps a record of its writes.
 * - The failover takes no time, and sequences do not skip values. After a real failover they skip up to 32.
 * - The simulator's own tables and its sequence of random values are not part of the service, and lose nothing.
 *
 * @param sql - the owner's connection
 */
export function createStandby(sql: Sql): Standby {
  return {
    receive: async () => {
      const copies = (await listTables(sql)).map(
        ({ name, columns }) => `create table standby.${name} as select ${columns} from public.${name};`,
      )
      await sql.unsafe(`
        begin isolation level repeatable read;
        drop schema if exists standby cascade; create schema standby; ${copies.join(' ')}
        create table standby._sequences as select schemaname, sequencename, last_value from pg_sequences
          where schemaname = 'public' and sequencename <> 'simulated_chance';
        commit`)
    },
    promote: async () => {
      const restored = (await listTables(sql)).map(
        ({ name, columns }) => `delete from public.${name};
          insert into public.${name} (${columns}) overriding system value select ${columns} from standby.${name};`,
      )
      await sql.unsafe(`
        begin; set local session_replication_role = replica; ${restored.join(' ')}
        select setval(format('%I.%I', schemaname, sequencename)::regclass, coalesce(last_value, 1), last_value is not null)
          from standby._sequences;
        commit`)
    },
  }
}

type Table = { readonly name: string; readonly columns: string }

/** Lists the service's tables, with all columns that are not generated. */
function listTables(sql: Sql): Promise<readonly Table[]> {
  return sql<Table[]>`
    select quote_ident(relname) as name, (
      select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
      where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
    from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and not starts_with(relname, 'witnessed_')
    order by relname`
}
