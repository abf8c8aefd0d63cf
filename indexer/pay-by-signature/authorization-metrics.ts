import type { TransactionStatus } from '../../shared/db/relayer/daemon/expiring-transactions.ts'
import type { AuthorizationStatus } from '../../shared/domain/eip3009/authorization-status.ts'
import { type Metrics, registerMetrics } from '../../shared/runtime/metrics.ts'

export type AuthorizationMetrics = ReturnType<ReturnType<typeof createAuthorizationMetrics>>

/** Registers the metrics of paying by signature. Returns a function that creates the metrics of one chain. */
export function createAuthorizationMetrics(registry: Metrics) {
  const byOutcome = registerMetrics(registry, ['chain_id', 'outcome'], {
    pay_by_signature_authorizations_total:
      'Payments by signature, by outcome: rejected requests, and status changes of accepted requests',
  })
  const byStatus = registerMetrics(registry, ['chain_id', 'status'], {
    pay_by_signature_transactions_total:
      'Status changes of the transactions of the account for authorizations, by new status',
  })
  const byChain = registerMetrics(registry, ['chain_id'], {
    pay_by_signature_pairs_disabled:
      'Tokens for which payment by signature is disabled, because their contracts use another signing domain or lack functions of EIP-3009',
    pay_by_signature_transactions_unmined:
      'Signed transactions of the account for authorizations that are not known to be mined',
    pay_by_signature_balance_coins:
      'Balance that the account for authorizations can spend on gas, in the chain’s native coin',
    pay_by_signature_cost_coins: 'Current maximum cost of a payment by signature, in the chain’s native coin',
  })
  return (chainId: number) => {
    const chain = { chain_id: chainId }
    return {
      /** Counts a rejected request or an authorization's new status. */
      countAuthorization: (outcome: AuthorizationStatus | 'refused') =>
        byOutcome.pay_by_signature_authorizations_total.inc({ ...chain, outcome }),
      /** Sets the number of enabled tokens whose contracts do not support our payers' signatures. */
      setWithheld: (count: number) => byChain.pay_by_signature_pairs_disabled.set(chain, count),
      /** Metrics of the account for authorizations, separate from the account for payouts. */
      account: {
        countTransaction: (status: TransactionStatus) =>
          byStatus.pay_by_signature_transactions_total.inc({ ...chain, status }),
        setUnmined: (count: number) => byChain.pay_by_signature_transactions_unmined.set(chain, count),
        setBalance: (coins: number) => byChain.pay_by_signature_balance_coins.set(chain, coins),
        setCost: (coins: number) => byChain.pay_by_signature_cost_coins.set(chain, coins),
      },
    }
  }
}
