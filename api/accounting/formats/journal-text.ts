import type { ExportEntry } from '../export-entry.ts'
import { getAccountName } from './account-name.ts'
import { presentParty, presentTxHash } from './columns.ts'
import { getCommodity } from './commodity.ts'
import { formatAllDigits } from './format-all-digits.ts'

/**
 * Returns the posting lines of an entry: account and amount with all digits. All supported accounting programs read
 * this form.
 */
export function writePostings(entry: ExportEntry): string {
  const commodity = getCommodity(entry)
  return entry.legs
    .map(({ account, amount, party }) => {
      const name = getAccountName({ account, commodity, party: party && presentParty(party, entry) })
      return `    ${name.padEnd(ACCOUNT_WIDTH)}  ${formatAllDigits(amount, entry.decimals)} ${commodity}\n`
    })
    .join('')
}

const ACCOUNT_WIDTH = 24

/** Returns the facts of an entry that a journal contains as tags or metadata, in a fixed order. */
export function listTags(entry: ExportEntry): readonly (readonly [string, string])[] {
  const tags: readonly (readonly [string, string | null])[] = [
    ['charge', entry.chargeId],
    ['category', entry.category],
    ['network', entry.network],
    ['tx', presentTxHash(entry)],
    ['corrects', entry.corrects],
    ['simulated', entry.chainId === null ? 'yes' : null],
  ]
  return tags.filter((tag): tag is readonly [string, string] => tag[1] !== null)
}

export const TAG_NAMES = ['charge', 'category', 'network', 'tx', 'corrects', 'simulated'] as const

/** Returns the merchant's reference on one line, or the charge's id. A line break would begin a line of the journal. */
export function describeEntry({ externalRef, chargeId }: ExportEntry): string {
  const line = (externalRef ?? '').replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  return line === '' ? chargeId : line
}
