import { formatUnits } from 'viem'
import { queryValues } from '../../../shared/chain/nodes/query-values.ts'
import { readEnergyPrice, readTronFunds, type TronFunds } from '../../../shared/chain/tron/read-tron.ts'
import type { TronNodes, TronVoter } from '../../../shared/chain/tron/tron-nodes.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { bandwidthFeeSun } from '../../../shared/domain/chain-families/tron/bandwidth.ts'
import type { Logger } from '../../../shared/runtime/logger.ts'
import { lowerMedian } from '../lower-median.ts'
import { LOW_BALANCE_PAYOUTS } from '../payout-cost.ts'
import type { PayoutMetrics } from '../payout-metrics.ts'

/**
 * Energy of a payout to seven recipients that deploys its split, if one recipient never had the token. The order of
 * magnitude was measured with the contracts on the local TRON (test/integration/tron/tron-contracts.test.ts); a real
 * node might report another value.
 */
const ENERGY_PER_PAYOUT = 700_000n
/** Bandwidth of the same payout, in bytes: 1,116 according to `bandwidthOfCall`. */
const BYTES_PER_PAYOUT = 1_200n
const SUN_DECIMALS = 6

/** Returns the maximum cost, in sun and without a stake, of a payout to seven recipients that deploys its split. */
export function payoutCostSun(energyPriceSun: bigint): bigint {
  return ENERGY_PER_PAYOUT * energyPriceSun + bandwidthFeeSun(BYTES_PER_PAYOUT, 0n)
}

/**
 * Returns the TRX, in sun, that an account lacks for `LOW_BALANCE_PAYOUTS` of these payouts; 0 if it lacks none. Pure.
 *
 * Energy and bandwidth of a stake recover within a day, and count with their current amounts. Neither can pay for the
 * other: with energy for a thousand payouts, but without TRX and bandwidth, the relayer cannot send any.
 */
export function missingForPayoutsSun(
  { balanceSun, energy, bandwidth }: TronFunds,
  energyPriceSun: bigint,
): bigint {
  const burntEnergy = LOW_BALANCE_PAYOUTS * ENERGY_PER_PAYOUT - energy
  const uncovered = LOW_BALANCE_PAYOUTS - bandwidth / BYTES_PER_PAYOUT
  const neededSun =
    (burntEnergy > 0n ? burntEnergy * energyPriceSun : 0n) +
    (uncovered > 0n ? uncovered * bandwidthFeeSun(BYTES_PER_PAYOUT, 0n) : 0n)
  return neededSun > balanceSun ? neededSun - balanceSun : 0n
}

type Deps = {
  readonly nodes: TronNodes
  readonly relayer: Address
  readonly log: Logger
  readonly metrics: Pick<PayoutMetrics, 'setBalance' | 'setPayoutCost' | 'setEnergy'>
}

/**
 * Creates the monitor of the relayer's funds on TRON. Each turn sets the metrics, and logs when the funds become too
 * low for `LOW_BALANCE_PAYOUTS` payouts or recover.
 */
export function createTronBalanceWatch(deps: Deps): { readonly turn: () => Promise<'idle'> } {
  const { nodes, relayer, log, metrics } = deps
  let isLow = false
  return {
    turn: async () => {
      const { funds, price } = await readFunds(nodes, relayer)
      const { balanceSun, energy, bandwidth } = funds
      metrics.setBalance(Number(formatUnits(balanceSun, SUN_DECIMALS)))
      metrics.setEnergy(Number(energy))
      metrics.setPayoutCost(Number(formatUnits(payoutCostSun(price), SUN_DECIMALS)))
      const missingSun = missingForPayoutsSun(funds, price)
      const owned = { balance_sun: balanceSun, energy, bandwidth }
      const fields = { chain_id: nodes.chainId, relayer, ...owned, missing_sun: missingSun }
      if (missingSun > 0n && !isLow)
        log.error({ msg: 'Relayer is running out of TRX, energy or bandwidth', ...fields })
      if (missingSun === 0n && isLow)
        log.info({ msg: 'Relayer has TRX, energy or bandwidth again', ...fields })
      isLow = missingSun > 0n
      return 'idle'
    },
  }
}

/** Reads each value as the lower median of the nodes' responses. */
async function readFunds(nodes: TronNodes, relayer: Address) {
  const read = (node: TronVoter) => Promise.all([readTronFunds(node, relayer), readEnergyPrice(node)])
  const values = await queryValues(nodes, { subject: 'the funds of our account', read })
  const medianOf = (figureOf: (funds: TronFunds) => bigint) =>
    figureOf(lowerMedian(values, ([funds]) => figureOf(funds))[0])
  return {
    funds: {
      balanceSun: medianOf(({ balanceSun }) => balanceSun),
      energy: medianOf(({ energy }) => energy),
      bandwidth: medianOf(({ bandwidth }) => bandwidth),
    },
    price: lowerMedian(values, ([, price]) => price)[1],
  }
}
