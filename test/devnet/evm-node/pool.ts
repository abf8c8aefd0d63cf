import type { EVM } from '@ethereumjs/evm'
import type { Address } from 'viem'

import type { SignedTransaction } from './block.ts'
import { floorGas, intrinsicGas } from './intrinsic-gas.ts'
import { RpcError } from './rpc-error.ts'
import { evmAddress } from './run-transaction.ts'

/** What waits to be mined, in the order of arrival; nobody is shown it. */
export type Pool = {
  /**
   * Takes a transaction in, or another in place of the one with its nonce if it offers a tenth more.
   *
   * @throws {RpcError} as nodes word it, if it could not be mined
   */
  readonly add: (evm: EVM, transaction: SignedTransaction) => Promise<void>
  /** Takes out the first that can be mined now; those that never can be any more are dropped. */
  readonly takeNext: (room: {
    readonly evm: EVM
    readonly gasLeft: bigint
    readonly baseFeeWei: bigint
  }) => Promise<SignedTransaction | null>
  /** The nonce after all of this sender's that wait in a row, from the given one on. */
  readonly nextNonce: (from: Address, nonce: bigint) => bigint
}

/** Far more than a test sends; a real node holds 10,000 and more. */
const MAX_WAITING = 5_000

/** Makes an empty pool. */
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
