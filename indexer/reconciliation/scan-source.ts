import { type PlacedReceipt, readCanonicalReceipt } from '../../shared/chain/receipts.ts'
import type { LogPlace } from '../../shared/db/chain-facts/reconciliations.ts'
import type { Hex } from '../../shared/domain/address.ts'
import type { ChainNode } from '../transport/node-heads.ts'
import type { NodeEnd } from './has-stopped.ts'
import { type LogScan, scanLogs } from './scan-logs.ts'

/** What one node shows of blocks that are deep, in the way of its family. */
export type ScanSource = {
  /**
   * Answers where what moved these charges' money is logged.
   *
   * @throws {BaseError} viem's, if the node does not answer
   */
  readonly findLogs: (scan: LogScan) => Promise<readonly LogPlace[]>
  /** Answers what a transaction did that stands in the chain; `null` if none does, or it failed. */
  readonly readReceipt: (hash: Hex) => Promise<PlacedReceipt | null>
  /** Reads how far the node has come: of what is above it knows nothing yet. */
  readonly readEnd: () => Promise<NodeEnd>
}

/** Makes what reads a node that has one API. */
export function createLogSource({ client }: ChainNode): ScanSource {
  return {
    findLogs: (scan) => scanLogs(client, scan),
    readReceipt: (hash) => readCanonicalReceipt(client, hash),
    readEnd: async () => {
      const { number, timestamp } = await client.getBlock()
      return { number: Number(number), timestampMs: Number(timestamp) * 1_000 }
    },
  }
}
