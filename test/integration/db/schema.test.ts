import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { SCHEMA_FILE, schemaDocument } from '../../support/schema-document.ts'

describe('shared/db/schema.sql', () => {
  let database: TestDatabase

  before(async () => {
    database = await createTestDatabase()
  })

  after(() => database.drop())

  it('equals the schema after all migrations (`npm run schema` generates the file)', async () => {
    expect(readFileSync(SCHEMA_FILE, 'utf8')).to.equal(await schemaDocument(database.sql))
  })

  it('shows a new column, index, constraint, trigger, function and grant', async () => {
    const statements = [
      'alter table feeds add column note text',
      'create index feeds_by_note on feeds (note)',
      "alter table feeds add constraint feeds_note check (note <> '')",
      'create trigger feeds_note before insert on feeds for each row execute function clear_signature()',
      'create function note() returns int language sql as $$ select 1 $$',
      'grant delete on feeds to svc_api',
      'grant update (note) on feeds to svc_api',
    ]
    let last = await schemaDocument(database.sql)
    for (const statement of statements) {
      await database.sql.unsafe(statement)
      const now = await schemaDocument(database.sql)
      expect(now, statement).to.not.equal(last)
      last = now
    }
  })
})
