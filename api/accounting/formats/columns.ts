import { CHAIN_FAMILIES } from '../../../shared/domain/chain-families/chain-families.ts'
import { REGISTRY } from '../../../shared/domain/network-registry.ts'
import type { Network } from '../../../shared/domain/networks.ts'
import type { ExportEntry, ExportLeg } from '../export-entry.ts'
import { getAccountName } from './account-name.ts'
import { getCommodity } from './commodity.ts'
import { formatAllDigits } from './format-all-digits.ts'
import type { TimeZone } from './time-zone.ts'

/** A leg, its entry, and its number in the entry, from 1. */
type Row = {
  readonly entry: ExportEntry
  readonly leg: ExportLeg
  readonly number: number
  readonly zone: TimeZone
}

type Cell = string | number | boolean | null

/** The columns in their order. Add new columns at the end, because imports might read columns by position. */
export const COLUMNS = {
  entry_id: ({ entry }) => entry.entryId,
  leg: ({ number }) => number,
  date: ({ entry, zone }) => zone.formatDate(entry.postedAt),
  time: ({ entry, zone }) => zone.formatTime(entry.postedAt),
  category: ({ entry }) => entry.category,
  charge_id: ({ entry }) => entry.chargeId,
  external_ref: ({ entry }) => entry.externalRef,
  charge_status: ({ entry }) => entry.chargeStatus,
  account: ({ entry, leg }) =>
    getAccountName({
      account: leg.account,
      commodity: getCommodity(entry),
      party: leg.party && presentParty(leg.party, entry),
    }),
  amount: ({ entry, leg }) => formatAllDigits(leg.amount, entry.decimals),
  commodity: ({ entry }) => getCommodity(entry),
  amount_atomic: ({ leg }) => String(leg.amount),
  decimals: ({ entry }) => entry.decimals,
  usd: ({ entry, leg }) => formatAllDigits(leg.amount, entry.decimals),
  network: ({ entry }) => entry.network,
  token: ({ entry }) => entry.token,
  token_address: ({ entry }) => entry.tokenAddress && presentParty(entry.tokenAddress, entry),
  counterparty: ({ entry, leg }) => leg.party && presentParty(leg.party, entry),
  tx_hash: ({ entry }) => presentTxHash(entry),
  block_number: ({ entry }) => entry.blockNumber,
  corrects: ({ entry }) => entry.corrects,
  recorded_at: ({ entry }) => entry.recordedAt.toISOString(),
  simulated: ({ entry }) => entry.chainId === null,
} as const satisfies Readonly<Record<string, (row: Row) => Cell>>

export type ColumnName = keyof typeof COLUMNS

export const COLUMN_NAMES = Object.keys(COLUMNS) as readonly ColumnName[]

/** All columns except `charge_status`, the only value that can change after an entry was recorded. */
export const DEFAULT_COLUMNS: readonly ColumnName[] = COLUMN_NAMES.filter((name) => name !== 'charge_status')

/** The columns whose cells can differ between the legs of an entry. All other columns are formatted once per entry. */
const LEG_COLUMNS: ReadonlySet<ColumnName> = new Set([
  ...(['leg', 'account', 'amount', 'amount_atomic', 'usd', 'counterparty'] as const),
])

/** Returns the cells of each leg of an entry. */
export function listCells(
  entry: ExportEntry,
  { columns, zone }: { readonly columns: readonly ColumnName[]; readonly zone: TimeZone },
): readonly (readonly Cell[])[] {
  let first: readonly Cell[] | null = null
  return entry.legs.map((leg, index) => {
    const row: Row = { entry, leg, number: index + 1, zone }
    const shared = first
    const cells = columns.map(
      (name, at): Cell =>
        shared === null || LEG_COLUMNS.has(name) ? COLUMNS[name](row) : (shared[at] ?? null),
    )
    first ??= cells
    return cells
  })
}

/** Formats an address in the notation of its network. */
export function presentParty(
  address: NonNullable<ExportLeg['party']>,
  { network }: { network: Network },
): string {
  return CHAIN_FAMILIES[REGISTRY[network].family].presentAddress(address)
}

/** Formats the hash of an entry's transaction in the notation of its network. */
export function presentTxHash({ txHash, network }: Pick<ExportEntry, 'txHash' | 'network'>): string | null {
  return txHash && CHAIN_FAMILIES[REGISTRY[network].family].presentTransactionHash(txHash)
}
