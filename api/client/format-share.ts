import { formatDecimal } from '../../shared/domain/decimal.ts'

/** Formats an allocation in millionths as a percentage. */
export function formatShare(allocation: number): string {
  return `${formatDecimal(BigInt(allocation), 4)} %`
}
