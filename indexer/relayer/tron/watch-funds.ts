import { formatUnits } from 'viem'
import { askTron } from '../../../shared/chain/tron/ask-tron.ts'
import { readEnergyPrice, readTronFunds } from '../../../shared/chain/tron/read-tron.ts'
import type { TronNode } from '../../../shared/chain/tron/tron-node.ts'
import type { Address } from '../../../shared/domain/address.ts'
import type { Logger } from '../../../shared/runtime/logger.ts'
import { LOW_PAYOUTS } from '../payout-cost.ts'
import type { PayoutMetrics } from '../payout-metrics.ts'

/**
 * What a payout to seven recipients that deploys its split takes, when one of them never had the token: of the order of
 * what the contracts take on the local TRON (test/integration/tron/tron-contracts.test.ts); a real node may say otherwise.
 */
export const ENERGY_PER_PAYOUT = 700_000n
const SUN_DECIMALS = 6

type Deps = {
  readonly nodes: readonly TronNode[]
  readonly relayer: Address
  readonly log: Logger
  readonly metrics: Pick<PayoutMetrics, 'setBalance' | 'setPayoutCost' | 'setEnergy'>
}

/**
 * Makes the watch over what the relayer can still spend on TRON: its TRX, the energy that its stake gives it, and the cost
 * of a payout as metrics at every turn, and a line in the log when they become low and when they no longer are.
 *
 * Energy comes back within a day, so what counts is what both together still pay for.
 */
export function createFundsWatch(deps: Deps): { readonly turn: () => Promise<'idle'> } {
  const { nodes, relayer, log, metrics } = deps
  let isLow = false
  return {
    turn: async () => {
      const [funds, price] = await askTron(nodes, (node) =>
        Promise.all([readTronFunds(node, relayer), readEnergyPrice(node)]),
      )
      const { balanceSun, energy } = funds
      metrics.setBalance(Number(formatUnits(balanceSun, SUN_DECIMALS)))
      metrics.setEnergy(Number(energy))
      metrics.setPayoutCost(Number(formatUnits(ENERGY_PER_PAYOUT * price, SUN_DECIMALS)))
      const payouts = (balanceSun / price + energy) / ENERGY_PER_PAYOUT
      const chainId = nodes[0]?.chainId
      const fields = { chain_id: chainId, relayer, balance_sun: balanceSun, energy, payouts_left: payouts }
      if (payouts < LOW_PAYOUTS && !isLow)
        log.error({ msg: 'Relayer is running out of TRX and energy', ...fields })
      if (payouts >= LOW_PAYOUTS && isLow) log.info({ msg: 'Relayer has TRX or energy again', ...fields })
      isLow = payouts < LOW_PAYOUTS
      return 'idle'
    },
  }
}
