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
  /** Maximum cost to plan for; on EVM networks with a margin for rising prices. */
  readonly maxCost: bigint
}

/** A payment that would not succeed now, and the reason. */
export type BlockedPayment = Payment & { readonly reason: string }

/** One transaction and the payments in it. */
export type SentBatch = { readonly txHash: string; readonly payments: readonly QuotedPayment[] }

/** Simulates and sends the payments of one chain. */
export type Sender = {
  /**
   * Simulates a payment at the newest block.
   *
   * @param account - the sender; it needs no money for the simulation
   */
  readonly quote: (payment: Payment, account: Address) => Promise<QuotedPayment | BlockedPayment>
  /** Returns the account's balance of the chain's coin, in its smallest unit. */
  readonly readFunds: (account: Address) => Promise<bigint>
  /**
   * Waits until the account's earlier transactions are mined, because the balances show the remaining payments only
   * then. Returns the nonce of the next transaction. On TRON, which has no nonces, returns 0 without waiting.
   *
   * @throws {Error} if the earlier transactions are not mined in time
   */
  readonly untilIdle: (account: Address) => Promise<number>
  /**
   * Sends payments, several per transaction where the chain permits it, and returns those that failed. Each transaction
   * is sent after the previous one is mined.
   *
   * Repeating it is safe: a payment that was made before reverts.
   */
  readonly send: (order: SendOrder) => Promise<readonly BlockedPayment[]>
}

export type SendOrder = {
  readonly account: PrivateKeyAccount
  /**
   * Returned by `untilIdle` before the payments were read. If the account sends another transaction in the meantime, no
   * second transaction with this nonce can be mined, so stale payments are never made.
   */
  readonly nonce: number
  readonly payments: readonly QuotedPayment[]
  readonly costLimit: CostLimit
  /** Called once a transaction can be mined, even if this process ends. */
  readonly onSigned: (batch: SentBatch) => void
  /** Called when a transaction has succeeded. */
  readonly onSent: (batch: SentBatch) => void
}

export type CreateSender = (chain: ExitChain) => Sender
