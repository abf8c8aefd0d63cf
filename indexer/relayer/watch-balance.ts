import { formatEther } from 'viem'
import type { ChainClient } from '../../shared/chain/client.ts'
import type { Address } from '../../shared/domain/address.ts'
import type { GasBounds } from '../../shared/domain/networks.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { quoteFees } from './gas-fees.ts'
import type { PayoutMetrics } from './payout-metrics.ts'

type Deps = {
  readonly client: ChainClient
  readonly relayer: Address
  /** The chain's nodes, each alone. */
  readonly nodes: readonly ChainClient[]
  readonly gasBounds: GasBounds
  readonly log: Logger
  readonly metrics: PayoutMetrics
}

/** A payout to seven recipients that deploys its split takes 219,272 gas (.gas-snapshot, measured November 2026). */
const GAS_PER_PAYOUT = 220_000n
/** With less than this many payouts left at today's price, somebody should fill it up. */
const LOW_PAYOUTS = 100n

/**
 * Makes the watch over what the relayer can still spend on gas: a metric at every turn, and a line in the log when it
 * becomes low and when it no longer is.
 *
 * Nothing else depends on it: signed transactions of an empty account wait until it is filled up.
 */
export function createBalanceWatch(deps: Deps): { readonly turn: () => Promise<'idle'> } {
  const { client, relayer, log, metrics } = deps
  let isLow = false
  return {
    turn: async () => {
      const [balance, fees] = await Promise.all([
        client.getBalance({ address: relayer }),
        quoteFees(deps.nodes, deps.gasBounds),
      ])
      metrics.setBalance(Number(formatEther(balance)))
      const payouts = balance / (GAS_PER_PAYOUT * fees.maxFeePerGas || 1n)
      const fields = { chain_id: client.chain.id, relayer, balance_wei: balance, payouts_left: payouts }
      if (payouts < LOW_PAYOUTS && !isLow)
        log.error({ msg: 'Relayer is running out of gas money', ...fields })
      if (payouts >= LOW_PAYOUTS && isLow) log.info({ msg: 'Relayer has gas money again', ...fields })
      isLow = payouts < LOW_PAYOUTS
      return 'idle'
    },
  }
}
