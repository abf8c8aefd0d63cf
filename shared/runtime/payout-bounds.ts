import { parseDecimal, truncateTo } from '../domain/decimal.ts'
import { invariant } from '../domain/errors.ts'
import type { MicroDollars } from '../domain/money.ts'
import { REGISTRY } from '../domain/network-registry.ts'
import type { DataFeeTerms, GasBounds } from '../domain/networks.ts'
import { minimumOn } from './network-minimum.ts'
import type { DeploymentConfig } from './networks-config.ts'
import { parseDollars } from './parse-dollars.ts'

/** Minimum amount and maximum cost of a payout on a deployment. */
export type PayoutBounds = Readonly<ReturnType<typeof getPayoutBounds>>

/** Settings for the payouts of deployments without their own bounds. */
type BoundSettings = {
  readonly MINIMUM_PAYOUT: string
  readonly MAX_FEE_PER_GAS_GWEI?: number | undefined
}

/** Returns a deployment's payout bounds. Its own configuration precedes the general settings and the registry. */
export function getPayoutBounds(deployment: DeploymentConfig, values: BoundSettings) {
  return {
    minimumPayoutMicro: getMinimumPayout(deployment, values),
    gasBounds: getGasBounds(deployment, values.MAX_FEE_PER_GAS_GWEI),
    dataFee: getDataFee(deployment),
  }
}

function getMinimumPayout(deployment: DeploymentConfig, { MINIMUM_PAYOUT }: BoundSettings): MicroDollars {
  const minimum = minimumOn(deployment, deployment.minimumPayout, parseDollars(MINIMUM_PAYOUT))
  invariant(minimum !== null, 'MINIMUM_PAYOUT must have a default')
  return minimum
}

/** Reduces the tip to the fee if it is higher. */
function getGasBounds(deployment: DeploymentConfig, maxFeePerGasGwei: number | undefined): GasBounds {
  const { network, maxTipPerGasGwei } = deployment
  const { gas } = REGISTRY[network]
  const fee = deployment.maxFeePerGasGwei ?? maxFeePerGasGwei
  const maxFeePerGasWei = fee === undefined ? (gas?.maxFeePerGasWei ?? 0n) : toWei(fee)
  const tip =
    maxTipPerGasGwei === undefined ? (gas?.maxTipPerGasWei ?? maxFeePerGasWei) : toWei(maxTipPerGasGwei)
  return { maxFeePerGasWei, maxTipPerGasWei: tip < maxFeePerGasWei ? tip : maxFeePerGasWei }
}

function getDataFee({ network, maxDataFeeGwei }: DeploymentConfig): DataFeeTerms {
  const { dataFee } = REGISTRY[network]
  return maxDataFeeGwei === undefined ? dataFee : { ...dataFee, maxWei: toWei(maxDataFeeGwei) }
}

/** Converts gwei to wei. Digits below one wei are truncated. */
function toWei(gwei: number): bigint {
  const decimal = parseDecimal(String(gwei))
  invariant(decimal, `${gwei} gwei must have passed validation`)
  return truncateTo(decimal, 9)
}
