import { setTimeout as delay } from 'node:timers/promises'
import { BaseError, type Hash, type TransactionReceipt } from 'viem'

type ReceiptReader = {
  readonly getTransactionReceipt: (args: { readonly hash: Hash }) => Promise<TransactionReceipt>
}

/** Poll interval. Callers wait at most two minutes, so they send at most 240 requests. */
const INTERVAL_MS = 500

/**
 * Waits until a transaction is mined, by polling for its receipt. A failed request counts as "not mined yet". The
 * receipt of a replaced transaction is never found.
 *
 * viem's own function reads the receipt once per new block. If the node has not indexed the receipt when it announces
 * the block, or the receipt appears while viem looks for a replacement, viem finds the receipt only at the next block.
 * On a chain that mines on demand, that block never comes.
 *
 * @returns the receipt, even if the transaction reverted
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
