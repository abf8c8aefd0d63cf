import { formatEther } from 'viem'
import type { ChainNode, ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import { queryValues } from '../../shared/chain/nodes/query-values.ts'
import type { Address } from '../../shared/domain/address.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { readAuthorizationCost } from './authorization-cost.ts'
import type { Duty } from './find-signing-problem.ts'
import { lowerMedian } from './lower-median.ts'
import { type CostTerms, LOW_PAYOUTS, readPayoutCost } from './payout-cost.ts'
import type { PayoutMetrics } from './payout-metrics.ts'

/** What each account of ours pays for, and what the log says of it. */
const WATCHED = {
  payouts: {
    readCost: readPayoutCost,
    left: 'payouts_left',
    low: 'Relayer is running out of gas money',
    filled: 'Relayer has gas money again',
  },
  authorizations: {
    readCost: readAuthorizationCost,
    left: 'payments_left',
    low: 'The account for authorizations is running out of gas money',
    filled: 'The account for authorizations has gas money again',
  },
} as const satisfies Record<Duty, object>

type Deps = CostTerms & {
  readonly nodes: ChainNodes
  readonly duty: Duty
  readonly relayer: Address
  readonly log: Logger
  readonly metrics: Pick<PayoutMetrics, 'setBalance'> & {
    /** Of one that the account pays for, in the chain's native coin. */
    readonly setCost: (coins: number) => void
  }
}

/**
 * Makes the watch over what a relayer can still spend: it and the cost of what it pays for as metrics at every turn, and a
 * line in the log when it becomes low and when it no longer is.
 *
 * Nothing else depends on it: signed transactions of an empty account wait until it is filled up.
 */
export function createBalanceWatch(deps: Deps): { readonly turn: () => Promise<'idle'> } {
  const { nodes, relayer, log, metrics } = deps
  const { readCost, left, low, filled } = WATCHED[deps.duty]
  let isLow = false
  return {
    turn: async () => {
      const [balance, cost] = await Promise.all([readBalance(nodes, relayer), readCost(nodes, deps)])
      metrics.setBalance(Number(formatEther(balance)))
      metrics.setCost(Number(formatEther(cost)))
      const count = balance / (cost || 1n)
      const fields = { chain_id: nodes.chainId, relayer, balance_wei: balance, [left]: count }
      if (count < LOW_PAYOUTS && !isLow) log.error({ msg: low, ...fields })
      if (count >= LOW_PAYOUTS && isLow) log.info({ msg: filled, ...fields })
      isLow = count < LOW_PAYOUTS
      return 'idle'
    },
  }
}

async function readBalance(nodes: ChainNodes, address: Address): Promise<bigint> {
  const read = ({ client }: ChainNode) => client.getBalance({ address })
  return lowerMedian(await queryValues(nodes, { subject: 'a balance', read }), (wei) => wei)
}
