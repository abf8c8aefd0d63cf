import { FEE_FRACTION_DIGITS, HUNDRED_PERCENT, parsePercent } from '../../shared/domain/percent.ts'
import { CommandError } from '../../shared/runtime/command-line.ts'

/**
 * Validates the percent of an organization's fee and returns it unchanged.
 *
 * @param name - name of the fee, for the error message
 * @throws {CommandError} if it is invalid, negative, 50 or above, or has too many fractional digits
 */
export function parseFee(name: string, text: string): string {
  const percent = parsePercent(text, { maxFractionDigits: FEE_FRACTION_DIGITS })
  if (percent !== null && percent < HUNDRED_PERCENT / 2n) return text
  throw new CommandError(
    `${name} is ${JSON.stringify(text)}: must be at least 0 and below 50, with at most ${FEE_FRACTION_DIGITS} fractional digits`,
  )
}
