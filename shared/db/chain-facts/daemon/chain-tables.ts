import type { Fragment } from 'postgres'
import type { Db } from '../../connect.ts'

/** Tables of rows read from a chain. A row is included in the canonical chain, missing, or orphaned. */
export const CHAIN_TABLES = ['transfers', 'split_events', 'escrow_transfers'] as const

export type ChainTable = (typeof CHAIN_TABLES)[number]

/** Prefixes of the names by which operators refer to rows: `transfer:12` (`npm run charges -- strike`). */
const ROW_KINDS = {
  transfers: 'transfer',
  split_events: 'split-event',
  escrow_transfers: 'escrow-transfer',
} as const satisfies Readonly<Record<ChainTable, string>>

/** Returns the name by which operators refer to a row. */
export function formatRowName({ table, id }: { readonly table: ChainTable; readonly id: number }): string {
  return `${ROW_KINDS[table]}:${id}`
}

/** The columns whose names differ between the tables. */
export const COLUMN_NAMES: Readonly<Record<ChainTable, Readonly<Record<string, string>>>> = {
  transfers: { party: 'sender', amountAtomic: 'value_atomic', isAccepted: 'accepted' },
  split_events: { party: 'account' },
  escrow_transfers: { party: 'recipient' },
}

/** Returns the columns that differ between the tables, for alias `r`. A column that the table lacks is a constant. */
export function getColumns(db: Db, table: ChainTable) {
  const { party, amountAtomic = 'amount_atomic' } = COLUMN_NAMES[table]
  const isTransfer = table === 'transfers'
  return {
    party: db`${db(`r.${party}`)}`,
    amountAtomic: db`${db(`r.${amountAtomic}`)}`,
    kind: table === 'split_events' ? db`r.kind` : db`''`,
    isAccepted: isTransfer ? db`r.accepted` : db`true`,
    countedAt: isTransfer ? db`r.credited_at` : db`r.applied_at`,
  }
}

/** Returns the condition that a row `r` can be counted and is not counted yet. */
export function isUncounted(db: Db, table: ChainTable) {
  const { countedAt, isAccepted } = getColumns(db, table)
  return db`${countedAt} is null and ${isAccepted}`
}

/** Combines one query per table with `union all`. */
export function unionTables(db: Db, select: (table: ChainTable) => Fragment) {
  return db`(${select('transfers')}) union all (${select('split_events')}) union all (${select('escrow_transfers')})`
}
