import type { CanonicalReceipt } from '../../shared/chain/receipts.ts'
import type { ChainNode } from '../transport/node-heads.ts'

/**
 * Keeps the receipts whose blocks these nodes all have where the receipts say: to be asked once those heights are known
 * to be deep, so that a reorganization between the two leaves nothing that the chain has dropped.
 *
 * @throws {BaseError} viem's, if one of the nodes does not answer
 */
export async function keepCanonical(
  nodes: readonly ChainNode[],
  receipts: readonly CanonicalReceipt[],
): Promise<readonly CanonicalReceipt[]> {
  const numbers = [...new Set(receipts.map(({ blockNumber }) => blockNumber))]
  const blocks = await Promise.all(
    numbers.map(async (number) => [number, await hashesAt(nodes, number)] as const),
  )
  const hashes = new Map(blocks)
  return receipts.filter(({ blockNumber, blockHash }) =>
    hashes.get(blockNumber)?.every((hash) => hash === blockHash),
  )
}

function hashesAt(nodes: readonly ChainNode[], number: number): Promise<readonly string[]> {
  return Promise.all(
    nodes.map(async ({ client }) => (await client.getBlock({ blockNumber: BigInt(number) })).hash),
  )
}
