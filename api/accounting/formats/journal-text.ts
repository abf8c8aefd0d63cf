import type { ExportEntry } from '../export-entry.ts'
import { getAccountName } from './account-name.ts'
import { presentParty, presentTxHash } from './columns.ts'
import { getCommodity } from './commodity.ts'
import { formatAllDigits } from './format-all-digits.ts'

/** Returns the posting lines of an entry, in a form that hledger, ledger and beancount read. */
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

/** Returns the tags (in beancount: metadata) of an entry, in a fixed order. */
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

/**
 * Returns the merchant's reference without line breaks, which would begin a journal line; otherwise the charge's id.
 */
export function describeEntry({ externalRef, chargeId }: ExportEntry): string {
  const line = (externalRef ?? '').replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  return line === '' ? chargeId : line
}
