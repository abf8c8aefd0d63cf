/** Formats `units / 10^decimals` with all decimal places of the token: "-10.500000", never "-10.5". */
export function formatAllDigits(units: bigint, decimals: number): string {
  const [sign, size] = units < 0n ? ['-', -units] : ['', units]
  const digits = size.toString().padStart(decimals + 1, '0')
  const point = digits.length - decimals
  return decimals === 0 ? `${sign}${digits}` : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}
