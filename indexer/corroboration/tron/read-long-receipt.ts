import type { ChainClient } from '../../../shared/chain/nodes/client.ts'
import { type PositionedLog, readCanonicalReceipt } from '../../../shared/chain/nodes/receipts.ts'
import { readSolidifiedLogs, type SolidReceipt } from '../../../shared/chain/tron/read-solidified-block.ts'
import { readSolidifiedHead } from '../../../shared/chain/tron/read-tron.ts'
import { type TronNode, TronNodeError } from '../../../shared/chain/tron/tron-node.ts'
import type { Hex } from '../../../shared/domain/address.ts'

/**
 * Reads the effects of a transaction whose block is too long for one response of `/walletsolidity`. That API can return
 * the logs of one transaction, but without their positions in the block, which `/jsonrpc` provides.
 *
 * @throws {TronNodeError} if `/jsonrpc` does not show the same logs in the same block
 */
export async function readLongReceipt(
  { node, client }: { readonly node: TronNode; readonly client: ChainClient },
  txHash: Hex,
): Promise<SolidReceipt> {
  const solid = await readSolidifiedLogs(node, txHash)
  if (solid === null || solid === 'failed') return solid
  const [{ id }, placed] = await Promise.all([
    readSolidifiedHead(node, solid.blockNumber),
    readCanonicalReceipt(client, txHash),
  ])
  const isSame = placed?.logs.map(textOf).join('\n') === solid.logs.map(textOf).join('\n')
  if (placed?.blockHash === id && isSame) return placed
  throw new TronNodeError(node, `shows different logs or blocks of ${txHash} at its two APIs`)
}

function textOf({ address, topics, data }: PositionedLog): string {
  return [address, ...topics, data].join(' ').toLowerCase()
}
