import postgres from 'postgres'
import type { Db } from './connect.ts'

/** Returns the fields of a row as JSON, with `bigint` amounts as text. */
export function toJsonRow(row: object): Record<string, string | number | boolean | null> {
  return Object.fromEntries(
    Object.entries(row).map(([field, value]) => [field, typeof value === 'bigint' ? String(value) : value]),
  )
}

/**
 * Returns SQL for objects as rows of a table. A field fills the column with its name, unless `names` gives another
 * column. Fields that the table lacks are omitted, and columns without a field are null.
 */
export function toRowSet(
  db: Db,
  table: string,
  {
    rows,
    names = {},
  }: { readonly rows: readonly object[]; readonly names?: Readonly<Record<string, string>> },
) {
  const named = rows.map((row) =>
    Object.fromEntries(
      Object.entries(toJsonRow(row)).map(([field, value]) => [
        names[field] ?? postgres.fromCamel(field),
        value,
      ]),
    ),
  )
  return db`jsonb_populate_recordset(null::${db(table)}, ${db.json(named)})`
}

/** Returns the `set` assignments of an update that copy the columns of these fields from the rows of the alias. */
export function assignFrom<Row>(db: Db, alias: string, fields: readonly Field<Row>[]) {
  const columns = toColumns<Row>(fields)
  return db`(${db(columns)}) = (${db(columnsOf(alias, columns))})`
}

/** Returns the columns of these fields. Callers name the row's type, so that a misspelt field does not compile. */
export function toColumns<Row>(fields: readonly Field<Row>[]): string[] {
  return fields.map((field) => postgres.fromCamel(field))
}

type Field<Row> = Extract<keyof Row, string>

export function columnsOf(alias: string, columns: readonly string[]): string[] {
  return columns.map((column) => `${alias}.${column}`)
}
