import type { MicroDollars } from '../domain/money.ts'
import { parseDollars } from './parse-dollars.ts'

/**
 * Returns the minimum amount of a charge or a payout on a deployment; `null` if there is none.
 *
 * The deployment's own minimum takes precedence. Otherwise the result is the higher of `ofAll`, the minimum for all
 * deployments, and the cost of a payout on this deployment.
 *
 * @param place.payoutCost - decimal dollars; missing if a payout costs cents
 * @param own - decimal dollars
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
