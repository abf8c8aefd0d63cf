import { parseDecimal, truncateTo } from '../domain/decimal.ts'
import { invariant } from '../domain/errors.ts'
import type { MicroDollars } from '../domain/money.ts'
import { REGISTRY } from '../domain/network-registry.ts'
import type { DataFeeTerms, GasBounds } from '../domain/networks.ts'
import { dollarsOf } from './dollars-of.ts'
import { minimumOn } from './network-minimum.ts'
import type { DeploymentConfig } from './networks-config.ts'

/** What a payout on a deployment must be worth, and what it may cost. */
export type PayoutBounds = {
  readonly minimumPayoutMicro: MicroDollars
  readonly gasBounds: GasBounds
  readonly dataFee: DataFeeTerms
}

/** Settings that bound the payouts of every deployment which says nothing else. */
type BoundSettings = {
  readonly MINIMUM_PAYOUT: string
  readonly MAX_FEE_PER_GAS_GWEI?: number | undefined
}

/** Answers what bounds the payouts of a deployment: its own configuration, the settings for all, the registry. */
export function payoutBoundsOf(deployment: DeploymentConfig, values: BoundSettings): PayoutBounds {
  return {
    minimumPayoutMicro: minimumPayoutOf(deployment, values),
    gasBounds: gasBoundsOf(deployment, values.MAX_FEE_PER_GAS_GWEI),
    dataFee: dataFeeOf(deployment),
  }
}

function minimumPayoutOf(deployment: DeploymentConfig, { MINIMUM_PAYOUT }: BoundSettings): MicroDollars {
  const minimum = minimumOn(deployment, deployment.minimumPayout, dollarsOf(MINIMUM_PAYOUT))
  invariant(minimum !== null, 'MINIMUM_PAYOUT has a default')
  return minimum
}

/** The registry's bounds but for what is configured; the tip is never above the whole. */
function gasBoundsOf(deployment: DeploymentConfig, maxFeePerGasGwei: number | undefined): GasBounds {
  const { network, maxTipPerGasGwei } = deployment
  const { gas } = REGISTRY[network]
  const fee = deployment.maxFeePerGasGwei ?? maxFeePerGasGwei
  const maxFeePerGasWei = fee === undefined ? (gas?.maxFeePerGasWei ?? 0n) : weiOf(fee)
  const tip =
    maxTipPerGasGwei === undefined ? (gas?.maxTipPerGasWei ?? maxFeePerGasWei) : weiOf(maxTipPerGasGwei)
  return { maxFeePerGasWei, maxTipPerGasWei: tip < maxFeePerGasWei ? tip : maxFeePerGasWei }
}

/** The registry's terms but for a bound that is configured. */
function dataFeeOf({ network, maxDataFeeGwei }: DeploymentConfig): DataFeeTerms {
  const { dataFee } = REGISTRY[network]
  return maxDataFeeGwei === undefined ? dataFee : { ...dataFee, maxWei: weiOf(maxDataFeeGwei) }
}

/** Digits below a wei are cut off. */
function weiOf(gwei: number): bigint {
  const decimal = parseDecimal(String(gwei))
  invariant(decimal, `${gwei} gwei passed their format`)
  return truncateTo(decimal, 9)
}
