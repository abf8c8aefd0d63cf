import { formatMicro, type MicroDollars, parseTargetAmount } from '../../shared/domain/money.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import { minimumOn } from '../../shared/runtime/network-minimum.ts'
import { createFieldError } from '../http/field-error.ts'
import type { CreateChargeRequest } from './request-schema.ts'

/**
 * Throws if the requested amount of a live charge, without a fee on top, is below the minimum.
 *
 * The highest minimum of the accepted networks applies, because the payer chooses the network and the service pays the
 * gas of the payout. A network's minimum is set in `NETWORKS_CONFIG`. By default it is the higher of `MINIMUM_CHARGE`
 * and the cost of a payout on the network.
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
    .flatMap(({ network }) => findMinimum(network, config) ?? [])
    .toSorted((left, right) => (left.micro > right.micro ? -1 : 1))
  if (highest === undefined || requestedMicro >= highest.micro) return
  const minimum = `${formatMicro(highest.micro)}${highest.where}`
  throw createFieldError('amount', `${formatMicro(requestedMicro)} is below the minimum ${minimum}`)
}

function findMinimum(
  network: string,
  { minimumChargeMicro, deployments }: Pick<ApiConfig, 'minimumChargeMicro' | 'deployments'>,
): { readonly micro: MicroDollars; readonly where: string } | null {
  const live = deployments.find((one) => one.network === network && one.environment === 'live')
  const micro = minimumOn(live ?? {}, live?.minimumCharge, minimumChargeMicro)
  if (micro === null) return null
  const isOfAll = live?.minimumCharge === undefined && micro === minimumChargeMicro
  return { micro, where: isOfAll ? '' : ` on ${network}` }
}
