import type { CheckedCharge } from './check-address.ts'

/**
 * Parses a charge from the text of an API response, and keeps its percents as strings with all digits.
 *
 * A percent has up to 20 fractional digits. As a double, 9.99999999999999999999 would become 10, and the promised
 * shares would differ from the shares that the address pays (decisions 1.2).
 *
 * @returns `null` for JSON that is not a charge
 * @throws {SyntaxError} for invalid JSON
 */
export function readCheckedCharge(text: string): CheckedCharge | null {
  const charge: unknown = JSON.parse(text)
  if (!isCharge(charge)) return null
  const withTexts = JSON.parse(quoteNumbers(text)) as CheckedCharge
  return {
    ...charge,
    feePercent: withTexts.feePercent,
    splitRecipients: charge.splitRecipients.map((recipient, index) => ({
      ...recipient,
      percent: withTexts.splitRecipients[index]?.percent ?? recipient.percent,
    })),
  }
}

function isCharge(value: unknown): value is CheckedCharge {
  if (typeof value !== 'object' || value === null) return false
  const { address, addressTerms, splitRecipients } = value as Record<string, unknown>
  const hasTerms = typeof addressTerms === 'object' && addressTerms !== null
  return typeof address === 'string' && hasTerms && Array.isArray(splitRecipients)
}

/** Also matches strings, so that digits in a string are not taken for a number. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9][0-9.eE+-]*/g

function quoteNumbers(text: string): string {
  return text.replace(STRING_OR_NUMBER, (token) => (token.startsWith('"') ? token : `"${token}"`))
}
