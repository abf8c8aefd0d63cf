import { FEE_FRACTION_DIGITS, HUNDRED_PERCENT, parsePercent } from '../../shared/domain/percent.ts'
import { CommandError } from '../../shared/runtime/command-line.ts'

/**
 * Returns an organization's fee in percent, unchanged, if it is valid.
 *
 * @param name - name of the fee, for the error message
 * @throws {CommandError} if the fee is not a number from 0 to below 50, or has too many fractional digits
 */
export function parseFee(name: string, text: string): string {
  const percent = parsePercent(text, { maxFractionDigits: FEE_FRACTION_DIGITS })
  if (percent !== null && percent < HUNDRED_PERCENT / 2n) return text
  throw new CommandError(
    `${name} is ${JSON.stringify(text)}: must be at least 0 and below 50, with at most ${FEE_FRACTION_DIGITS} fractional digits`,
  )
}
