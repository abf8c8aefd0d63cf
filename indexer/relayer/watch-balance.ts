import { formatEther } from 'viem'
import type { ChainClient } from '../../shared/chain/client.ts'
import type { Address } from '../../shared/domain/address.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { type CostTerms, LOW_PAYOUTS, readPayoutCost } from './payout-cost.ts'
import type { PayoutMetrics } from './payout-metrics.ts'

type Deps = CostTerms & {
  readonly client: ChainClient
  readonly relayer: Address
  /** The chain's nodes, each alone. */
  readonly nodes: readonly ChainClient[]
  readonly log: Logger
  readonly metrics: Pick<PayoutMetrics, 'setBalance' | 'setPayoutCost'>
}

/**
 * Makes the watch over what the relayer can still spend: it and the cost of a payout as metrics at every turn, and a line
 * in the log when it becomes low and when it no longer is.
 *
 * Nothing else depends on it: signed transactions of an empty account wait until it is filled up.
 */
export function createBalanceWatch(deps: Deps): { readonly turn: () => Promise<'idle'> } {
  const { client, relayer, log, metrics } = deps
  let isLow = false
  return {
    turn: async () => {
      const [balance, cost] = await Promise.all([
        client.getBalance({ address: relayer }),
        readPayoutCost(deps.nodes, deps),
      ])
      metrics.setBalance(Number(formatEther(balance)))
      metrics.setPayoutCost(Number(formatEther(cost)))
      const payouts = balance / (cost || 1n)
      const fields = { chain_id: client.chain.id, relayer, balance_wei: balance, payouts_left: payouts }
      if (payouts < LOW_PAYOUTS && !isLow)
        log.error({ msg: 'Relayer is running out of gas money', ...fields })
      if (payouts >= LOW_PAYOUTS && isLow) log.info({ msg: 'Relayer has gas money again', ...fields })
      isLow = payouts < LOW_PAYOUTS
      return 'idle'
    },
  }
}
