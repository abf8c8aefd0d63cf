import { setTimeout as delay } from 'node:timers/promises'
import { BaseError, type Hash, type TransactionReceipt } from 'viem'

/** The part of a viem client that the function needs. */
type ReceiptReader = {
  readonly getTransactionReceipt: (args: { readonly hash: Hash }) => Promise<TransactionReceipt>
}

/** Poll interval. Hardly any public node has new blocks more often than this, and polling lasts at most two minutes. */
const INTERVAL_MS = 500

/**
 * Waits until a transaction is mined, by polling for its receipt.
 *
 * viem's own function reads the receipt once per new block. If the node has not indexed the receipt when it announces
 * the block, or if the receipt appears while viem looks for a replacement, viem finds the receipt only at the next
 * block, which never comes on a chain that mines on demand. If a request fails, this function treats the transaction as
 * not mined yet. If the transaction was replaced, its receipt is never found.
 *
 * @returns the receipt, with any status
 * @throws {BaseError} if there is no receipt after `timeoutMs`; its cause is the last error
 */
export async function waitForReceipt(
  client: ReceiptReader,
  hash: Hash,
  options: { readonly timeoutMs: number; readonly intervalMs?: number },
): Promise<TransactionReceipt> {
  const deadline = performance.now() + options.timeoutMs
  for (;;) {
    try {
      return await client.getTransactionReceipt({ hash })
    } catch (error) {
      if (!(error instanceof BaseError)) throw error
      if (performance.now() >= deadline) {
        throw new BaseError(`transaction ${hash} has no receipt after ${options.timeoutMs} ms`, {
          cause: error,
        })
      }
    }
    await delay(options.intervalMs ?? INTERVAL_MS)
  }
}
