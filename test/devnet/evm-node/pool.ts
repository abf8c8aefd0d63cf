import type { EVM } from '@ethereumjs/evm'
import type { Address } from 'viem'

import type { SignedTransaction } from './block.ts'
import { floorGas, intrinsicGas } from './intrinsic-gas.ts'
import { RpcError } from './rpc-error.ts'
import { evmAddress } from './run-transaction.ts'

/**
 * The pending transactions, in the order of arrival. A replacement keeps the position of the replaced transaction. No
 * request returns pending transactions, but `eth_getTransactionCount` with the tag `pending` counts them.
 */
export type Pool = {
  /**
   * Adds a transaction. Replaces the sender's pending transaction with the same nonce if the new maximum fee and the
   * new maximum tip are each at least 10 % higher.
   *
   * @throws {RpcError} with a real node's message, if the nonce, the balance, the gas limit or the fee of a replacement
   * is too low, if the transaction is already pending, or if the pool is full
   */
  readonly add: (evm: EVM, transaction: SignedTransaction) => Promise<void>
  /**
   * Removes and returns the first transaction that can be mined now, or returns `null`. Drops transactions before it
   * whose nonce is already used.
   */
  readonly takeNext: (room: {
    readonly evm: EVM
    readonly gasLeft: bigint
    readonly baseFeeWei: bigint
  }) => Promise<SignedTransaction | null>
  /** Returns the first nonce, from the given nonce on, for which the sender has no pending transaction. */
  readonly nextNonce: (from: Address, nonce: bigint) => bigint
}

/** Maximum number of pending transactions, far more than a test sends. Real nodes hold at least 10,000. */
const MAX_WAITING = 5_000

/** Creates an empty pool. */
export function createPool(): Pool {
  const waiting: SignedTransaction[] = []
  return {
    add: async (evm, transaction) => {
      await requireMinable(evm, transaction)
      const index = waiting.findIndex((one) => isSameSlot(one, transaction))
      if (index < 0 && waiting.length >= MAX_WAITING) throw refusal('txpool is full')
      if (index < 0) waiting.push(transaction)
      else waiting[index] = replacement(waiting[index] ?? transaction, transaction)
    },
    takeNext: async ({ evm, gasLeft, baseFeeWei }) => {
      for (const one of [...waiting]) {
        const { nonce, balance } = await accountOf(evm, one.from)
        const isStale = one.nonce < nonce
        const isNow =
          one.nonce === nonce &&
          one.gasLimit <= gasLeft &&
          one.maxFeePerGasWei >= baseFeeWei &&
          balance >= costOf(one)
        if (isStale || isNow) waiting.splice(waiting.indexOf(one), 1)
        if (isNow) return one
      }
      return null
    },
    nextNonce: (from, nonce) => {
      let next = nonce
      while (waiting.some((one) => isSameSlot(one, { from, nonce: next }))) next += 1n
      return next
    },
  }
}

async function requireMinable(evm: EVM, transaction: SignedTransaction): Promise<void> {
  const { nonce, balance } = await accountOf(evm, transaction.from)
  if (transaction.nonce < nonce)
    throw refusal(`nonce too low: next nonce ${nonce}, tx nonce ${transaction.nonce}`)
  if (balance < costOf(transaction))
    throw refusal(`insufficient funds for gas * price + value: have ${balance} want ${costOf(transaction)}`)
  const least = [intrinsicGas(transaction), floorGas(transaction)].reduce((a, b) => (a > b ? a : b))
  if (transaction.gasLimit < least)
    throw refusal(`intrinsic gas too low: gas ${transaction.gasLimit}, minimum needed ${least}`)
}

function replacement(before: SignedTransaction, after: SignedTransaction): SignedTransaction {
  if (before.hash === after.hash) throw refusal('already known')
  const isHigher = (a: bigint, b: bigint) => a * 10n >= b * 11n
  if (
    isHigher(after.maxFeePerGasWei, before.maxFeePerGasWei) &&
    isHigher(after.maxTipPerGasWei, before.maxTipPerGasWei)
  )
    return after
  throw refusal('replacement transaction underpriced')
}

async function accountOf(evm: EVM, address: Address): Promise<{ nonce: bigint; balance: bigint }> {
  return (await evm.stateManager.getAccount(evmAddress(address))) ?? { nonce: 0n, balance: 0n }
}

function costOf({ gasLimit, maxFeePerGasWei, valueWei }: SignedTransaction): bigint {
  return gasLimit * maxFeePerGasWei + valueWei
}

function isSameSlot(
  a: Pick<SignedTransaction, 'from' | 'nonce'>,
  b: Pick<SignedTransaction, 'from' | 'nonce'>,
): boolean {
  return a.from === b.from && a.nonce === b.nonce
}

function refusal(message: string): RpcError {
  return new RpcError({ code: -32000, message })
}
