import { Counter, Gauge } from 'prom-client'
import type { AuthorizationStatus } from '../../shared/domain/eip3009/authorization-status.ts'
import type { Metrics } from '../../shared/runtime/metrics.ts'
import type { PayoutMetrics } from '../relayer/payout-metrics.ts'

/** Metrics of paying by signature on one chain. */
export type AuthorizationMetrics = {
  /** Counts a rejected request or an authorization's new status. */
  readonly countAuthorization: (outcome: AuthorizationStatus | 'refused') => void
  /** Enabled tokens whose contracts report another signing domain than the payers' signatures use, or none at all. */
  readonly setWithheld: (count: number) => void
  /** Metrics of the account for authorizations, separate from the account for payouts. */
  readonly account: Pick<PayoutMetrics, 'countTransaction' | 'setUnmined' | 'setBalance'> & {
    /** Maximum cost of one payment by signature, in the chain's native coin. */
    readonly setCost: (coins: number) => void
  }
}

/** Registers the metrics of paying by signature. Returns a function that creates the metrics of one chain. */
export function createAuthorizationMetrics(registry: Metrics): (chainId: number) => AuthorizationMetrics {
  const registers = [registry]
  const outcomes = new Counter({
    name: 'pay_by_signature_authorizations_total',
    help: 'Payments by signature, by outcome: rejected requests, and status changes of accepted ones',
    labelNames: ['chain_id', 'outcome'],
    registers,
  })
  const withheld = new Gauge({
    name: 'pay_by_signature_pairs_disabled',
    help: 'Tokens for which pay by signature is disabled, because their contracts use another signing domain or none',
    labelNames: ['chain_id'],
    registers,
  })
  const transactions = new Counter({
    name: 'pay_by_signature_transactions_total',
    help: 'Status changes of the transactions of the account for authorizations, by new status',
    labelNames: ['chain_id', 'status'],
    registers,
  })
  const unmined = new Gauge({
    name: 'pay_by_signature_transactions_unmined',
    help: 'Signed transactions of the account for authorizations that are not known to be mined',
    labelNames: ['chain_id'],
    registers,
  })
  const balance = new Gauge({
    name: 'pay_by_signature_balance_coins',
    help: 'Balance that the account for authorizations can spend on gas, in the chain’s native coin',
    labelNames: ['chain_id'],
    registers,
  })
  const cost = new Gauge({
    name: 'pay_by_signature_cost_coins',
    help: 'Current maximum cost of a payment by signature, in the chain’s native coin',
    labelNames: ['chain_id'],
    registers,
  })
  return (chainId) => ({
    countAuthorization: (outcome) => outcomes.inc({ chain_id: chainId, outcome }),
    setWithheld: (count) => withheld.set({ chain_id: chainId }, count),
    account: {
      countTransaction: (status) => transactions.inc({ chain_id: chainId, status }),
      setUnmined: (count) => unmined.set({ chain_id: chainId }, count),
      setBalance: (coins) => balance.set({ chain_id: chainId }, coins),
      setCost: (coins) => cost.set({ chain_id: chainId }, coins),
    },
  })
}
