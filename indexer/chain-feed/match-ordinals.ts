import type { ChainRow } from '../../shared/db/chain-facts/daemon/chain-rows.ts'
import { groupBy } from '../../shared/domain/group-by.ts'

/**
 * Returns the observed logs, each with the ordinal of its ledger row, or with a free ordinal if the log is new.
 *
 * Logs are matched with ledger rows by content and position (`LIKENESSES`), because ordinals depend on the logs that a
 * node shows. Suppose that a node omits the first of two transfers. The second transfer then gets ordinal 0 and is
 * credited. Once the node shows both, the first has ordinal 0 and the second has ordinal 1. If rows were matched by
 * ordinal, the first transfer would count as already credited, and the second would be credited again.
 *
 * Two logs in one block that share neither content nor position are different logs.
 *
 * @param ledger - every row of these transactions, included or not
 */
export function matchOrdinals<Row extends ChainRow>(
  observed: readonly Row[],
  ledger: readonly ChainRow[],
): readonly Row[] {
  const known = groupBy(ledger, subjectOf)
  const ordinals = new Map<ChainRow, number>()
  for (const [subject, rows] of groupBy(observed, subjectOf))
    for (const [row, ordinal] of findOrdinals(rows, known.get(subject) ?? [])) ordinals.set(row, ordinal)
  return observed.map((row) => ({ ...row, ordinal: ordinals.get(row) ?? row.ordinal }))
}

type Likeness = (row: ChainRow, known: ChainRow) => boolean

const isAtSamePlace: Likeness = (row, known) =>
  row.blockHash === known.blockHash && row.logIndex === known.logIndex
const saysSame: Likeness = (row, known) =>
  row.party === known.party && row.amountAtomic === known.amountAtomic
const isElsewhere: Likeness = (row, known) => row.blockHash !== known.blockHash
const hasSameOrdinal: Likeness = (row, known) => row.ordinal === known.ordinal

/** The rules, strongest first. All matches of one rule are assigned before the next rule applies. */
const LIKENESSES: readonly Likeness[] = [
  (row, known) => isAtSamePlace(row, known) && saysSame(row, known),
  saysSame, // The log has moved within its block or to another block.
  isAtSamePlace, // The log has replaced the row.
  (row, known) => isElsewhere(row, known) && hasSameOrdinal(row, known),
  isElsewhere, // The transaction was included in another block, with other effects.
]

function findOrdinals(rows: readonly ChainRow[], ledger: readonly ChainRow[]): ReadonlyMap<ChainRow, number> {
  const left = ledger.toSorted((a, b) => a.ordinal - b.ordinal)
  const ordinals = new Map<ChainRow, number>()
  for (const isAlike of LIKENESSES)
    for (const row of rows.filter((each) => !ordinals.has(each))) {
      const at = left.findIndex((known) => isAlike(row, known))
      for (const { ordinal } of at < 0 ? [] : left.splice(at, 1)) ordinals.set(row, ordinal)
    }
  const taken = new Set(ledger.map(({ ordinal }) => ordinal))
  for (const row of rows.filter((each) => !ordinals.has(each))) {
    let ordinal = taken.has(row.ordinal) ? 0 : row.ordinal
    while (taken.has(ordinal)) ordinal += 1
    taken.add(ordinal)
    ordinals.set(row, ordinal)
  }
  return ordinals
}

/** Returns the key of the group of rows whose ordinals are counted together. */
function subjectOf({ txHash, tokenAddress, chargeId, kind }: RowIdentity): string {
  return [txHash, tokenAddress, chargeId, kind].join('/')
}

type RowIdentity = Pick<ChainRow, 'txHash' | 'tokenAddress' | 'chargeId' | 'kind' | 'ordinal'>

/** Returns the row's key, which survives a reorganization. */
export function getRowKey(row: RowIdentity): string {
  return `${subjectOf(row)}/${row.ordinal}`
}
