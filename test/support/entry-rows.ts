import type { Sql } from '../../shared/db/connect.ts'
import type { Account, EntryCategory } from '../../shared/domain/accounting/entry.ts'
import type { Environment } from '../../shared/domain/networks.ts'
import { insertChargeRows } from './charge-rows.ts'
import { buildCharge, getTokenAddress, MERCHANT, TREASURY } from './factories.ts'

/** An accounting entry to insert. */
export type EntryRow = {
  readonly id: string
  readonly category: EntryCategory
  readonly legs: readonly (readonly [Account, bigint])[]
  readonly postedAt: string
  readonly recordedAt?: string
  readonly corrects?: string
}

/** Inserts a charge and its entries in USDC on base, as the daemon does. Returns the charge's id. */
export async function insertEntryRows(
  sql: Sql,
  owner: {
    readonly organizationId: string
    readonly environment?: Environment
    readonly externalRef?: string
  },
  entries: readonly EntryRow[],
): Promise<string> {
  const { environment = 'live' } = owner
  const charge = buildCharge({ ...owner, environment })
  await insertChargeRows(sql, [charge])
  const chain =
    environment === 'live' ? { id: 8453, token: getTokenAddress('base') } : { id: null, token: null }
  for (const { id, category, legs, postedAt, recordedAt, corrects } of entries) {
    const rows = legs.map(([account, amount]) => ({
      account,
      amount: String(amount),
      party: PARTIES[account] ?? null,
    }))
    await sql`
      insert into accounting_entries (entry_id, organization_id, environment, charge_id, category, corrects, network, token,
        chain_id, token_address, tx_hash, block_number, decimals, legs, posted_at, counted_at, recorded_at)
      values (${id}, ${owner.organizationId}, ${environment}, ${charge.id}, ${category}, ${corrects ?? null}, 'base', 'USDC',
        ${chain.id}, ${chain.token}, ${chain.id && `0x${'ab'.repeat(32)}`}, ${chain.id && 100}, 6, ${sql.json(rows)},
        ${postedAt}::text::timestamptz, ${postedAt}::text::timestamptz, ${recordedAt ?? LONG_AGO}::text::timestamptz)`
  }
  return charge.id
}

/** Default recording time of entries, early enough for every export to contain them, whatever the machine's clock. */
const LONG_AGO = '2026-01-01T00:00:00Z'

const PARTIES: Partial<Record<Account, string>> = { wallet: MERCHANT, fee: TREASURY }

/** Builds the entries of a charge of 10 USDC that was overpaid by half a dollar and paid out. */
export function buildPaidOut(name: string, day = '2026-11-02'): readonly EntryRow[] {
  return [
    {
      ...{ id: `tr_${name}`, category: 'payment', postedAt: `${day}T10:00:00Z` },
      legs: [
        ['clearing', 10_500_000n],
        ['liability', -10_500_000n],
      ],
    },
    {
      ...{ id: `sa_${name}`, category: 'sale', postedAt: `${day}T10:00:00Z` },
      legs: [
        ['liability', 10_000_000n],
        ['sales', -10_000_000n],
      ],
    },
    {
      ...{ id: `di_${name}`, category: 'payout', postedAt: `${day}T10:01:00Z` },
      legs: [
        ['clearing', -10_500_000n],
        ['incentive', 10_500n],
        ['wallet', 10_395_001n],
        ['fee', 94_499n],
      ],
    },
  ]
}
