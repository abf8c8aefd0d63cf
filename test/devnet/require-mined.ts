import type { Hash, TransactionReceipt } from 'viem'

import { waitForReceipt } from '../../shared/chain/nodes/wait-for-receipt.ts'

/** Timeout. On an idle machine, a local chain mines a block within a second. */
const TIMEOUT_MS = 60_000

/** Polling interval. It is short, because a local node has no quota. */
const INTERVAL_MS = 20

/**
 * Waits until a transaction on a local chain is mined, and returns its receipt.
 *
 * @throws {Error} if the transaction reverted, or was not mined within 60 s
 */
export async function requireMined(
  client: Parameters<typeof waitForReceipt>[0],
  hash: Hash,
): Promise<TransactionReceipt> {
  const receipt = await waitForReceipt(client, hash, { timeoutMs: TIMEOUT_MS, intervalMs: INTERVAL_MS })
  if (receipt.status !== 'success') throw new Error(`transaction ${hash} reverted`)
  return receipt
}
