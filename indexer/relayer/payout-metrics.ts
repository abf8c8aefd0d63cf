import type { TransactionStatus } from '../../shared/db/relayer/daemon/expiring-transactions.ts'
import { type Metrics, registerMetrics } from '../../shared/runtime/metrics.ts'

/** Outcome of one attempt at a claimed payout. */
export type AttemptOutcome = 'sent' | 'nothing' | 'restricted' | 'postponed' | 'failed' | 'overtaken'

/** Outcome of one attempt to release a held share. */
export type ReleaseOutcome = 'sent' | 'nothing' | 'restricted' | 'postponed' | 'overtaken'

/** Settlement metrics of one chain. */
export type PayoutMetrics = ReturnType<ReturnType<typeof createPayoutMetrics>>

/** Registers the settlement metrics and returns a function that binds them to a chain. */
export function createPayoutMetrics(registry: Metrics) {
  const byOutcome = registerMetrics(registry, ['chain_id', 'outcome'], {
    payout_attempts_total: 'Attempts of our worker at a claimed payout, by outcome',
    held_share_release_attempts_total: 'Attempts of our worker to release a held share, by outcome',
  })
  const byStatus = registerMetrics(registry, ['chain_id', 'status'], {
    relayer_transactions_total: 'Status changes of the relayer’s transactions, by new status',
  })
  const byChain = registerMetrics(registry, ['chain_id'], {
    relayer_transactions_unmined: 'Signed transactions of the relayer that are not known to be mined',
    relayer_balance_coins: 'Balance that the relayer can spend on gas, in the chain’s native coin',
    relayer_payout_cost_coins:
      'Current maximum cost of a payout to seven recipients, including posting its data to L1, in the chain’s native coin',
    relayer_available_energy: 'Energy that the relayer’s own or rented stake still provides today (TRON)',
  })
  return (chainId: number) => ({
    countAttempt: (outcome: AttemptOutcome) =>
      byOutcome.payout_attempts_total.inc({ chain_id: chainId, outcome }),
    countRelease: (outcome: ReleaseOutcome) =>
      byOutcome.held_share_release_attempts_total.inc({ chain_id: chainId, outcome }),
    countTransaction: (status: TransactionStatus) =>
      byStatus.relayer_transactions_total.inc({ chain_id: chainId, status }),
    setUnmined: (count: number) => byChain.relayer_transactions_unmined.set({ chain_id: chainId }, count),
    setBalance: (coins: number) => byChain.relayer_balance_coins.set({ chain_id: chainId }, coins),
    setPayoutCost: (coins: number) => byChain.relayer_payout_cost_coins.set({ chain_id: chainId }, coins),
    setEnergy: (energy: number) => byChain.relayer_available_energy.set({ chain_id: chainId }, energy),
  })
}
