import { expect } from 'chai'
import { requirePonderRole } from '../../../indexer/chain-feed/require-ponder-role.ts'
import {
  findKnownAddresses,
  listKnownAddresses,
} from '../../../shared/db/chain-facts/daemon/known-addresses.ts'
import { errorCode, type Sql } from '../../../shared/db/connect.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { insertBase, insertOrganizationRow, SOME_ADDRESS } from '../../support/rows.ts'

const INSUFFICIENT_PRIVILEGE = '42501'

/** All privileges of Ponder's role on our tables, to find charge addresses and to read the list of migrations. */
const GRANTED = [
  'charges.address SELECT',
  'charges.escrow_releaser SELECT',
  'charges.is_simulated SELECT',
  'charges.split_address SELECT',
  'schema_migrations SELECT',
  'schema_migrations.applied_at SELECT',
  'schema_migrations.checksum SELECT',
  'schema_migrations.id SELECT',
]

/** Attempts of a compromised Ponder to read more data, gain privileges or interfere. All must be rejected. */
const ATTEMPTS: readonly (readonly [title: string, statement: string])[] = [
  ['reading the content of charges', 'select metadata, external_ref, idempotency_key from charges'],
  ['reading the terms of charges', 'select split_terms from charges'],
  ['reading the charges of organizations', 'select id, organization_id from charges'],
  ['reading the hashes of keys', 'select key_hash from api_keys'],
  ['reading the secrets of webhooks', 'select secret_sealed from webhooks'],
  ['reading signed transactions', 'select raw_transaction from relayer_transactions'],
  ['reading events', 'select data from events'],
  ['becoming the daemon', 'set role svc_daemon'],
  ['becoming the daemon’s user', 'set role test_daemon'],
  [
    'ending the daemon’s sessions',
    `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'test_daemon'`,
  ],
  ['creating charges', `select * from create_charges('[]')`],
  ['creating a table in our schema', 'create table public.mine (id int)'],
]

describe('Ponder’s role', () => {
  let database: TestDatabase
  let ponder: Sql
  let daemon: Sql

  before(async () => {
    database = await createTestDatabase()
    ponder = connectForTest(database.url.ponder)
    daemon = connectForTest(database.url.daemon)
    await insertOrganizationRow(database.sql, 'org_one')
    await insertBase(database.sql)
    await daemon`select 1` // Opens a session of the daemon, which an attempt tries to end.
    await ponder`create schema ponder_base_live_1`
    await ponder`create table ponder_base_live_1.checkpoint (latest_checkpoint text, finalized_checkpoint text)`
  })
  after(async () => {
    await Promise.all([ponder.end(), daemon.end()])
    await database.drop()
  })

  it('can find the addresses of charges and read the list of migrations, and has no other privilege on our tables', async () => {
    const rows = await database.sql<{ name: string }[]>`
      select table_name || '.' || column_name || ' ' || privilege_type as name
      from information_schema.column_privileges
      where grantee in ('svc_ponder', 'PUBLIC') and table_schema = 'public'
      union all
      select table_name || ' ' || privilege_type from information_schema.table_privileges
      where grantee in ('svc_ponder', 'PUBLIC') and table_schema = 'public'
      union all
      select routine_name || '()' from information_schema.routine_privileges
      where grantee in ('svc_ponder', 'PUBLIC') and routine_schema = 'public' order by 1`
    expect(rows.map(({ name }) => name)).to.deep.equal(GRANTED)
    expect(await findKnownAddresses(ponder, [SOME_ADDRESS as Address])).to.deep.equal([])
    expect(await listKnownAddresses(ponder, 10)).to.deep.equal([])
  })

  it('cannot write to any of our tables', async () => {
    const tables = await database.sql<{ name: string }[]>`
      select table_name::text as name from information_schema.tables where table_schema = 'public'`
    expect(tables).to.have.length.above(30)
    for (const { name } of tables) {
      const writes = [`insert into ${name} default values`, `delete from ${name}`, `truncate ${name} cascade`]
      for (const write of writes)
        expect(await codeOf(ponder.unsafe(write)), write).to.equal(INSUFFICIENT_PRIVILEGE)
    }
  })

  for (const [title, statement] of ATTEMPTS) {
    it(`is not allowed: ${title}`, async () => {
      expect(await codeOf(ponder.unsafe(statement))).to.equal(INSUFFICIENT_PRIVILEGE)
    })
  }

  it('cannot attach the trigger function record_head to its own table, because the function would run with our privileges', async () => {
    const trick = ponder`create trigger record_head after insert on ponder_base_live_1.checkpoint
      for each row execute function record_head()`
    expect(await codeOf(trick)).to.equal(INSUFFICIENT_PRIVILEGE)
  })

  it('lets the daemon attach a trigger that records heads to its tables, and delete their rows', async () => {
    await daemon`create trigger record_head after insert on ponder_base_live_1.checkpoint
      for each row execute function record_head()`
    const [latest, final] = [checkpointOf(1_700_000_002, 12), checkpointOf(1_700_000_001, 11)]
    await ponder`insert into ponder_base_live_1.checkpoint values (${latest}, ${final})`
    const heads = await daemon`select ponder_schema, number, timestamp from chain_heads`
    expect(heads).to.deep.equal([
      { ponderSchema: 'ponder_base_live_1', number: 12, timestamp: 1_700_000_002 },
    ])
    expect((await daemon`delete from ponder_base_live_1.checkpoint`).count).to.equal(1)
  })

  describe('when the daemon starts', () => {
    it('is accepted', () => requirePonderRole(daemon, settings(database.url.ponder)))

    it('is rejected if it has more privileges than required', async () => {
      expect(await refusalOf(database.url.daemon)).to.deep.equal([
        'PONDER_DATABASE_URL: its user test_daemon is a superuser or has another of our roles: must have only svc_ponder',
      ])
    })

    it('is rejected if the daemon could not read Ponder’s tables', async () => {
      expect(await refusalOf(database.url.operator)).to.include.members([
        'PONDER_DATABASE_URL: its user must be in the role of Ponder: grant svc_ponder to test_operator',
        'PONDER_DATABASE_URL: the daemon must be a member of its user: grant test_operator to test_daemon',
      ])
    })

    it('is rejected if its confirmed commits can be lost', async () => {
      const alter = `alter role test_ponder in database ${database.name}`
      await database.administer(`${alter} set synchronous_commit = off`)
      const refusal = await refusalOf(database.url.ponder)
      await database.administer(`${alter} reset synchronous_commit`)
      expect(refusal.join()).to.include('synchronous_commit of the database user test_ponder is off')
    })

    it('is rejected while another user owns its schemas, with the statement that transfers them', async () => {
      await daemon`create schema ponder_sync`
      const refusal = await refusalOf(database.url.ponder)
      await daemon`drop schema ponder_sync`
      expect(refusal).to.deep.equal([
        "PONDER_DATABASE_URL: Ponder's schemas owned by test_daemon must belong to the user of this URL: stop all daemons, then run: reassign owned by test_daemon to test_ponder",
      ])
    })
  })

  async function refusalOf(url: string): Promise<readonly string[]> {
    const error: unknown = await requirePonderRole(daemon, settings(url)).catch((reason: unknown) => reason)
    return (error as { problems?: readonly string[] } | undefined)?.problems ?? []
  }
})

const settings = (ponderDatabaseUrl: string) => ({ ponderDatabaseUrl, checksCommits: true })

/**
 * Returns a checkpoint in Ponder's format: 10 digits for the time, 16 for the chain, 16 for the block, and further
 * digits.
 */
function checkpointOf(timestamp: number, block: number): string {
  return `${timestamp}${'0'.repeat(16)}${String(block).padStart(16, '0')}${'0'.repeat(33)}`
}

async function codeOf(work: PromiseLike<unknown>): Promise<string> {
  try {
    await work
    return 'done'
  } catch (error) {
    return errorCode(error) ?? String(error)
  }
}
