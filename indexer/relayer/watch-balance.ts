import { formatEther } from 'viem'
import type { ChainNode, ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import { queryValues } from '../../shared/chain/nodes/query-values.ts'
import type { Address } from '../../shared/domain/address.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { readAuthorizationCost } from './authorization-cost.ts'
import type { KeyPurpose } from './find-signing-problem.ts'
import { lowerMedian } from './lower-median.ts'
import { type CostBounds, LOW_BALANCE_PAYOUTS, readPayoutCost } from './payout-cost.ts'
import type { PayoutMetrics } from './payout-metrics.ts'

/** Cost, log field and log messages for each purpose of an account. */
const WATCHED = {
  payouts: {
    readCost: readPayoutCost,
    left: 'payouts_left',
    low: 'The relayer is running out of gas money',
    filled: 'The relayer has gas money again',
  },
  authorizations: {
    readCost: readAuthorizationCost,
    left: 'payments_left',
    low: 'The account for authorizations is running out of gas money',
    filled: 'The account for authorizations has gas money again',
  },
} as const satisfies Record<KeyPurpose, object>

type Deps = CostBounds & {
  readonly nodes: ChainNodes
  readonly duty: KeyPurpose
  readonly relayer: Address
  readonly log: Logger
  readonly metrics: Pick<PayoutMetrics, 'setBalance'> & {
    /** Sets the cost of one payout or payment, in the chain's native coin. */
    readonly setCost: (coins: number) => void
  }
}

/**
 * Creates the monitor of a relayer's balance. Each turn sets the metrics of the balance and of the cost of one
 * operation, and logs when the balance becomes low or recovers.
 *
 * The monitor only informs operators. If the account is empty, signed transactions wait until it is funded.
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
      if (count < LOW_BALANCE_PAYOUTS && !isLow) log.error({ msg: low, ...fields })
      if (count >= LOW_BALANCE_PAYOUTS && isLow) log.info({ msg: filled, ...fields })
      isLow = count < LOW_BALANCE_PAYOUTS
      return 'idle'
    },
  }
}

async function readBalance(nodes: ChainNodes, address: Address): Promise<bigint> {
  const read = ({ client }: ChainNode) => client.getBalance({ address })
  return lowerMedian(await queryValues(nodes, { subject: 'a balance', read }), (wei) => wei)
}
