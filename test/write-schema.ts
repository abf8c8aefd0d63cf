/** `npm run schema`: generates `schema.sql` from a migrated database. */
import { writeFile } from 'node:fs/promises'
import { createTestDatabase, stopTestPostgres } from './support/postgres.ts'
import { SCHEMA_FILE, schemaDocument } from './support/schema-document.ts'

const database = await createTestDatabase()
await writeFile(SCHEMA_FILE, await schemaDocument(database.sql))
await database.drop()
await stopTestPostgres()
