import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect } from '../../shared/db/connect.ts'

const SCRIPT = join(import.meta.dirname, '../../docs/ops/catalog-rights.sql')

/**
 * Runs docs/ops/catalog-rights.sql in the database that the URL names, without the commands that only psql understands.
 *
 * @param url - URL of a superuser
 */
export async function applyCatalogRights(url: string): Promise<void> {
  const text = await readFile(SCRIPT, 'utf8')
  const sql = connect({ url, applicationName: 'catalog-rights', maxConnections: 1 })
  await sql.unsafe(text.replaceAll(/^(?:--|\\).*$/gm, ''))
  await sql.end()
}
