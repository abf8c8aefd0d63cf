import { Counter, Gauge } from 'prom-client'
import type { TransactionStatus } from '../../shared/db/relayer/daemon/expiring-transactions.ts'
import type { Metrics } from '../../shared/runtime/metrics.ts'

/** Outcome of one attempt at a claimed payout. */
export type AttemptOutcome = 'sent' | 'nothing' | 'restricted' | 'postponed' | 'failed' | 'overtaken'

/** Outcome of one attempt to release a held share. */
export type ReleaseOutcome = 'sent' | 'nothing' | 'restricted' | 'postponed' | 'overtaken'

/** Settlement metrics of one chain. */
export type PayoutMetrics = {
  readonly countAttempt: (outcome: AttemptOutcome) => void
  readonly countTransaction: (status: TransactionStatus) => void
  readonly setUnmined: (count: number) => void
  readonly countRelease: (outcome: ReleaseOutcome) => void
  /** In the chain's native coin. */
  readonly setBalance: (coins: number) => void
  /** In the chain's native coin. */
  readonly setPayoutCost: (coins: number) => void
  /** Remaining energy, in the chain's unit, where a stake pays for transactions. */
  readonly setEnergy: (energy: number) => void
}

/** Registers the settlement metrics and returns a function that binds them to a chain. */
export function createPayoutMetrics(registry: Metrics): (chainId: number) => PayoutMetrics {
  const attempts = new Counter({
    name: 'payout_attempts_total',
    help: 'Attempts of our worker at a claimed payout, by outcome',
    labelNames: ['chain_id', 'outcome'],
    registers: [registry],
  })
  const transactions = new Counter({
    name: 'relayer_transactions_total',
    help: 'Status changes of the relayer’s transactions, by new status',
    labelNames: ['chain_id', 'status'],
    registers: [registry],
  })
  const unmined = new Gauge({
    name: 'relayer_transactions_unmined',
    help: 'Signed transactions of the relayer that are not known to be mined',
    labelNames: ['chain_id'],
    registers: [registry],
  })
  const releases = new Counter({
    name: 'held_share_release_attempts_total',
    help: 'Attempts of our worker to release a held share, by outcome',
    labelNames: ['chain_id', 'outcome'],
    registers: [registry],
  })
  const balance = new Gauge({
    name: 'relayer_balance_coins',
    help: 'Balance that the relayer can spend on gas, in the chain’s native coin',
    labelNames: ['chain_id'],
    registers: [registry],
  })
  const cost = new Gauge({
    name: 'relayer_payout_cost_coins',
    help: 'Current maximum cost of a payout to seven recipients, including its posting to L1, in the chain’s native coin',
    labelNames: ['chain_id'],
    registers: [registry],
  })
  const energy = new Gauge({
    name: 'relayer_available_energy',
    help: 'Remaining energy of the day from the relayer’s own or rented stake (TRON)',
    labelNames: ['chain_id'],
    registers: [registry],
  })
  return (chainId) => ({
    setEnergy: (units) => energy.set({ chain_id: chainId }, units),
    countRelease: (outcome) => releases.inc({ chain_id: chainId, outcome }),
    setBalance: (coins) => balance.set({ chain_id: chainId }, coins),
    setPayoutCost: (coins) => cost.set({ chain_id: chainId }, coins),
    countAttempt: (outcome) => attempts.inc({ chain_id: chainId, outcome }),
    countTransaction: (status) => transactions.inc({ chain_id: chainId, status }),
    setUnmined: (count) => unmined.set({ chain_id: chainId }, count),
  })
}
