import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect } from '../../shared/db/connect.ts'

const SCRIPT = join(import.meta.dirname, '../../docs/ops/catalog-rights.sql')

/**
 * Runs docs/ops/catalog-rights.sql without its psql commands.
 *
 * @param url - URL of the database for a superuser
 */
export async function applyCatalogRights(url: string): Promise<void> {
  const text = await readFile(SCRIPT, 'utf8')
  const sql = connect({ url, applicationName: 'catalog-rights', maxConnections: 1 })
  await sql.unsafe(text.replaceAll(/^(?:--|\\).*$/gm, ''))
  await sql.end()
}
