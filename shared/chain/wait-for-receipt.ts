import { setTimeout as delay } from 'node:timers/promises'
import { BaseError, type Hash, type TransactionReceipt } from 'viem'

/** What of a viem client is needed. */
type ReceiptReader = {
  readonly getTransactionReceipt: (args: { readonly hash: Hash }) => Promise<TransactionReceipt>
}

/** A public node has no new block more often than this, or hardly; it is asked for two minutes at most. */
const INTERVAL_MS = 500

/**
 * Waits until a transaction is mined, by asking for its receipt again and again.
 *
 * viem's own wait asks once for each new block: a receipt that a node has not indexed when its block is told, or that
 * comes while viem looks for a replaced transaction, is missed until the next block, and a chain that mines on demand
 * makes none. A node that fails counts as not yet. A transaction that another one replaced is never found.
 *
 * @returns the receipt, whatever its status
 * @throws {BaseError} if there is none after `timeoutMs`; its cause is what the last question came to
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
