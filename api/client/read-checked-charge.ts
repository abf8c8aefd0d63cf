import type { CheckedCharge } from './check-address.ts'

/**
 * Reads a charge from the text that the API answered, with its percents as they are spelled there.
 *
 * A percent has up to 20 fractional digits, and whoever parses it as a double reads 9.99999999999999999999 as 10: the
 * promised shares would be others than the address pays (decisions 1.2).
 *
 * @returns `null` for JSON that is no charge
 * @throws {SyntaxError} for what is no JSON
 */
export function readCheckedCharge(text: string): CheckedCharge | null {
  const charge: unknown = JSON.parse(text)
  if (!isCharge(charge)) return null
  const spelled = JSON.parse(spellNumbers(text)) as CheckedCharge
  return {
    ...charge,
    feePercent: spelled.feePercent,
    splitRecipients: charge.splitRecipients.map((recipient, index) => ({
      ...recipient,
      percent: spelled.splitRecipients[index]?.percent ?? recipient.percent,
    })),
  }
}

function isCharge(value: unknown): value is CheckedCharge {
  if (typeof value !== 'object' || value === null) return false
  const { address, addressTerms, splitRecipients } = value as Record<string, unknown>
  const hasTerms = typeof addressTerms === 'object' && addressTerms !== null
  return typeof address === 'string' && hasTerms && Array.isArray(splitRecipients)
}

/** A string, which may look like numbers inside, or a number. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9][0-9.eE+-]*/g

/** Makes a string of every number of a JSON text. */
function spellNumbers(text: string): string {
  return text.replace(STRING_OR_NUMBER, (token) => (token.startsWith('"') ? token : `"${token}"`))
}
