import { AppError } from '../../shared/domain/errors.ts'
import { formatMicro, type MicroDollars, parseTargetAmount } from '../../shared/domain/money.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import { minimumOn } from '../../shared/runtime/network-minimum.ts'
import type { CreateChargeRequest } from './draft-charge.ts'

/**
 * Refuses an amount below the minimum of a live charge, as it is requested: what a payer adds for the fee is not his.
 *
 * What is confirmed is paid out with our gas however small it is, on whichever of the accepted networks the payer chooses:
 * so the highest of their minimums counts. A network has its own in `NETWORKS_CONFIG`, or by default the cost of a payout there;
 * otherwise `MINIMUM_CHARGE` holds.
 *
 * @throws {AppError} `validation_error`, param `amount`
 */
export function requireMinimum(
  { key, body, sourceOf }: CreateChargeRequest,
  config: Pick<ApiConfig, 'minimumChargeMicro' | 'deployments'>,
): void {
  if (key.environment !== 'live') return
  const requestedMicro = parseTargetAmount(sourceOf(body, 'amount') ?? '')
  const [highest] = body.acceptedPayments
    .flatMap(({ network }) => minimumOf(network, config) ?? [])
    .toSorted((left, right) => (left.micro > right.micro ? -1 : 1))
  if (highest === undefined || requestedMicro >= highest.micro) return
  const message = `amount ${formatMicro(requestedMicro)} is below the minimum ${formatMicro(highest.micro)}${highest.where}`
  throw new AppError('validation_error', message, { param: 'amount' })
}

/** `null` for none. */
function minimumOf(
  network: string,
  { minimumChargeMicro, deployments }: Pick<ApiConfig, 'minimumChargeMicro' | 'deployments'>,
): { readonly micro: MicroDollars; readonly where: string } | null {
  const live = deployments.find((one) => one.network === network && one.environment === 'live')
  const micro = minimumOn(live ?? {}, live?.minimumCharge, minimumChargeMicro)
  if (micro === null) return null
  const isOfAll = live?.minimumCharge === undefined && micro === minimumChargeMicro
  return { micro, where: isOfAll ? '' : ` on ${network}` }
}
