/** The exact value `digits / 10^scale`. A parsed value has a scale of at least 0 and no trailing zeros. */
export type Decimal = { readonly digits: bigint; readonly scale: number }

/**
 * Maximum length of a text, and maximum exponent. Both are checked before the conversion, so that "1e999999999" costs
 * nothing. Doubles end at 1e308, and amounts and percents are far below that.
 */
const MAX_TEXT_LENGTH = 400
const MAX_EXPONENT = 400

/** The grammar of a JSON number. See https://www.rfc-editor.org/rfc/rfc8259#section-6. */
const JSON_NUMBER = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,9}))?$/

/**
 * Parses the text of a JSON number exactly, without conversion to a double.
 *
 * @returns the decimal; `null` if the text is not a JSON number, is longer than 400 characters, or has an exponent
 * beyond ±400
 */
export function parseDecimal(text: string): Decimal | null {
  if (text.length > MAX_TEXT_LENGTH) return null
  const match = JSON_NUMBER.exec(text)
  if (match === null) return null
  const [, sign = '', whole = '', fraction = '', exponentText = '0'] = match
  const exponent = Number(exponentText)
  if (Math.abs(exponent) > MAX_EXPONENT) return null
  return normalize(BigInt(sign + whole + fraction), fraction.length - exponent)
}

/** Returns the value in units of 10^-`scale`, truncated toward zero. */
export function truncateTo(decimal: Decimal, scale: number): bigint {
  const shift = scale - decimal.scale
  return shift >= 0 ? decimal.digits * 10n ** BigInt(shift) : decimal.digits / 10n ** BigInt(-shift)
}

export function compareDecimals(left: Decimal, right: Decimal): -1 | 0 | 1 {
  const scale = Math.max(left.scale, right.scale)
  const difference = truncateTo(left, scale) - truncateTo(right, scale)
  if (difference === 0n) return 0
  return difference < 0n ? -1 : 1
}

/**
 * Formats `digits / 10^scale` without exponent and trailing zeros: "10", "10.5", "0.000001".
 *
 * @see decisions 1.3
 */
export function formatDecimal(digits: bigint, scale: number): string {
  if (digits < 0n) return `-${formatDecimal(-digits, scale)}`
  const padded = digits.toString().padStart(scale + 1, '0')
  const point = padded.length - scale
  const fraction = padded.slice(point).replace(/0+$/, '')
  return fraction === '' ? padded.slice(0, point) : `${padded.slice(0, point)}.${fraction}`
}

/** Returns the double nearest to `digits / 10^scale`. Use it only for plain number fields in JSON. */
export function toNumber(digits: bigint, scale: number): number {
  // Parsing decimal text rounds only once; dividing two doubles would round three times.
  return Number(formatDecimal(digits, scale))
}

function normalize(digits: bigint, scale: number): Decimal {
  if (scale <= 0) return { digits: digits * 10n ** BigInt(-scale), scale: 0 }
  let reduced = { digits, scale }
  while (reduced.scale > 0 && reduced.digits % 10n === 0n) {
    reduced = { digits: reduced.digits / 10n, scale: reduced.scale - 1 }
  }
  return reduced
}
