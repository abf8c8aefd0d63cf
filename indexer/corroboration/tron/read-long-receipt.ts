import type { ChainClient } from '../../../shared/chain/client.ts'
import { type PlacedLog, type PlacedReceipt, readCanonicalReceipt } from '../../../shared/chain/receipts.ts'
import { readSolidLogs } from '../../../shared/chain/tron/read-solid-block.ts'
import { readSolidHead } from '../../../shared/chain/tron/read-tron.ts'
import type { TronNode } from '../../../shared/chain/tron/tron-node.ts'
import type { Hex } from '../../../shared/domain/address.ts'

/**
 * Reads what a transaction did whose block does more than a node can tell of at once: its logs from `/walletsolidity`,
 * their places from `/jsonrpc`, which must tell of the same logs in the same block; else `null`.
 */
export async function readLongReceipt(
  { node, client }: { readonly node: TronNode; readonly client: ChainClient },
  txHash: Hex,
): Promise<PlacedReceipt | null> {
  const solid = await readSolidLogs(node, txHash)
  if (solid === null) return null
  const [{ id }, placed] = await Promise.all([
    readSolidHead(node, solid.blockNumber),
    readCanonicalReceipt(client, txHash),
  ])
  if (placed === null || placed.blockHash !== id) return null
  return placed.logs.map(textOf).join('\n') === solid.logs.map(textOf).join('\n') ? placed : null
}

/** All but its place. */
function textOf({ address, topics, data }: PlacedLog): string {
  return [address, ...topics, data].join(' ').toLowerCase()
}
