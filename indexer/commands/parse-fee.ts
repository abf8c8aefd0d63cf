import { FEE_FRACTION_DIGITS, HUNDRED_PERCENT, parsePercent } from '../../shared/domain/percent.ts'
import { CommandError } from '../../shared/runtime/command-line.ts'

/** Answers a fee as it was typed, once it is one that an organization can have of its own. */
export function parseFee(name: string, text: string): string {
  const percent = parsePercent(text, { maxFractionDigits: FEE_FRACTION_DIGITS })
  if (percent !== null && percent < HUNDRED_PERCENT / 2n) return text
  throw new CommandError(
    `${name} is ${JSON.stringify(text)}: must be from 0 to below 50 with at most ${FEE_FRACTION_DIGITS} fractional digits`,
  )
}
