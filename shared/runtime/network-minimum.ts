import type { MicroDollars } from '../domain/money.ts'
import { parseDollars } from './parse-dollars.ts'

/**
 * Returns the minimum of a charge or a payout on a deployment; `null` if there is none.
 *
 * The deployment's own minimum takes precedence. Otherwise the result is the higher of the minimum for all networks and
 * the cost of a payout on this network.
 *
 * @param own - decimal dollars
 * @param place.payoutCost - decimal dollars; missing if a payout costs cents
 */
export function minimumOn(
  { payoutCost }: { readonly payoutCost?: string },
  own: string | undefined,
  ofAll: MicroDollars | null,
): MicroDollars | null {
  if (own !== undefined) return parseDollars(own)
  if (payoutCost === undefined) return ofAll
  const cost = parseDollars(payoutCost)
  return ofAll !== null && ofAll > cost ? ofAll : cost
}
