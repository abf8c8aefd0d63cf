import type { PrivateKeyAccount } from 'viem'
import type { Address } from '../../../shared/domain/address.ts'
import type { CostLimit } from './cost-limit.ts'
import type { ExitChain } from './exit-chain.ts'
import type { Payment } from './payment.ts'

/** A payment that would succeed now. */
export type QuotedPayment = Payment & {
  /** Gas limit; on TRON, the maximum energy. */
  readonly gas: bigint
  /** Likely cost, in the smallest unit of the chain's coin. */
  readonly cost: bigint
  /** Maximum cost; on EVM networks, it includes a margin for rising prices. */
  readonly maxCost: bigint
}

export type BlockedPayment = Payment & { readonly reason: string }

export type SentBatch = { readonly txHash: string; readonly payments: readonly QuotedPayment[] }

export type Sender = {
  /**
   * Simulates a payment at the newest block.
   *
   * @param account - the sender, which needs no balance for the simulation
   */
  readonly quote: (payment: Payment, account: Address) => Promise<QuotedPayment | BlockedPayment>
  /** Returns the account's balance in the smallest unit of the chain's coin. */
  readonly readFunds: (account: Address) => Promise<bigint>
  /**
   * Waits until the account's earlier transactions are mined, because only then do the balances show which payments
   * remain. Returns the next nonce. On TRON, which has no nonces, returns 0 without waiting.
   *
   * @throws {Error} if the earlier transactions are not mined in time
   */
  readonly untilIdle: (account: Address) => Promise<number>
  /**
   * Sends payments and returns those that failed. On EVM chains with Multicall3, a transaction contains several
   * payments. Sends each transaction after the previous one is mined.
   *
   * A repeated call is safe, because a payment that was already made reverts.
   */
  readonly send: (order: SendOrder) => Promise<readonly BlockedPayment[]>
}

export type SendOrder = {
  readonly account: PrivateKeyAccount
  /**
   * Result of `untilIdle`, called before the payments were planned. If the account sends another transaction in the
   * meantime, that transaction uses this nonce, so these outdated payments can no longer be mined.
   */
  readonly nonce: number
  readonly payments: readonly QuotedPayment[]
  readonly costLimit: CostLimit
  /**
   * Called before a transaction is broadcast, because it might be mined even if this process ends, or if the response of
   * the node is lost.
   */
  readonly onSigned: (batch: SentBatch) => void
  /** Called after a transaction succeeded. */
  readonly onSent: (batch: SentBatch) => void
}

export type CreateSender = (chain: ExitChain) => Sender
