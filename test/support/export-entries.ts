import fc from 'fast-check'
import type { ExportEntry } from '../../api/accounting/export-entry.ts'
import { DEFAULT_COLUMNS } from '../../api/accounting/formats/columns.ts'
import type { ExportStyle } from '../../api/accounting/formats/export-format.ts'
import { findTimeZone } from '../../api/accounting/formats/time-zone.ts'
import { ACCOUNTS, ENTRY_CATEGORIES } from '../../shared/domain/accounting/entry.ts'
import type { Address, Hex } from '../../shared/domain/address.ts'
import { NETWORKS, TOKENS } from '../../shared/domain/networks.ts'

/** Builds an export style with dates in UTC and the default columns. */
export function buildStyle(style: Partial<ExportStyle> = {}): ExportStyle {
  const zone = findTimeZone('UTC')
  if (zone === null) throw new Error('time zone UTC is unknown')
  return { environment: 'live', zone, columns: DEFAULT_COLUMNS, ...style }
}

/** Builds the entry of a payout of 55 USDC. */
export function buildExportEntry(changes: Partial<ExportEntry> = {}): ExportEntry {
  return {
    ...{ entryId: 'di_1', category: 'payout', corrects: null, chargeId: 'ch_1' },
    ...{ externalRef: ' order 2; see\nnote | x', chargeStatus: 'confirmed' },
    ...{ network: 'base', token: 'USDC', chainId: 8453, tokenAddress: `0x${'c0'.repeat(20)}` as Address },
    ...{ txHash: `0x${'ab'.repeat(32)}`, blockNumber: 1, decimals: 6 },
    legs: [
      { account: 'clearing', amount: -55_000_000n, party: null },
      { account: 'incentive', amount: 55_000n, party: null },
      { account: 'wallet', amount: 54_450_001n, party: null },
      { account: 'fee', amount: 494_999n, party: null },
    ],
    postedAt: new Date('2026-11-02T10:00:00Z'),
    recordedAt: new Date('2026-11-02T10:01:00Z'),
    ...changes,
  }
}

/**
 * A balanced entry with any network and any `externalRef` that a merchant can choose. Amounts have at most 27 digits,
 * because beancount rounds amounts of more than 28 digits.
 */
export const anyExportEntry: fc.Arbitrary<ExportEntry> = fc
  .record({
    id: anyHex(32),
    category: fc.constantFrom(...ENTRY_CATEGORIES),
    externalRef: fc.option(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 255 }).filter(hasNoNul)),
    network: fc.constantFrom(...NETWORKS),
    token: fc.constantFrom(...TOKENS),
    isSimulated: fc.boolean(),
    decimals: fc.constantFrom(6, 18),
    amounts: fc.array(fc.tuple(fc.constantFrom(...ACCOUNTS), anyAmount(), anyAddress()), {
      minLength: 1,
      maxLength: 5,
    }),
    account: fc.constantFrom(...ACCOUNTS),
    postedAt: fc.date({ min: new Date('2026-01-01'), max: new Date('2026-12-31'), noInvalidDate: true }),
  })
  .map(({ id, isSimulated, amounts, account, ...entry }) => {
    const legs = amounts.map(([of, amount, party]) => ({ account: of, amount, party }))
    const rest = -legs.reduce((sum, { amount }) => sum + amount, 0n)
    return {
      ...entry,
      ...{ entryId: `tr_${id}`, corrects: null, chargeId: `ch_${id}`, chargeStatus: 'confirmed' },
      chainId: isSimulated ? null : 1,
      tokenAddress: isSimulated ? null : (`0x${'c0'.repeat(20)}` as Address),
      txHash: isSimulated ? null : (`0x${id}${id}` as Hex),
      blockNumber: isSimulated ? null : 1,
      legs: [...legs, { account, amount: rest, party: `0x${'aa'.repeat(20)}` as Address }],
      recordedAt: entry.postedAt,
    }
  })

function anyAmount() {
  return fc.oneof(fc.bigInt({ min: -(10n ** 26n), max: 10n ** 26n }), fc.bigInt({ min: -2n, max: 2n }))
}

function anyAddress() {
  return anyHex(40).map((digits) => `0x${digits}` as Address)
}

function anyHex(length: number) {
  return fc.string({
    unit: fc.constantFrom(...Array.from('0123456789abcdef')),
    minLength: length,
    maxLength: length,
  })
}

function hasNoNul(text: string): boolean {
  return !text.includes('\0')
}
