import { createChainClient } from '../../../shared/chain/client.ts'
import type { DeploymentConfig } from '../../../shared/runtime/networks-config.ts'
import { type Finding, reasonOf } from './finding.ts'

/**
 * Compares a block of each node that nothing takes back: two that name the same chain may still be of two.
 *
 * @param urls - of nodes that answer and serve the chain's id
 * @returns a finding for each node that differs from the first
 */
export async function compareNodes(
  { chainId, finalityBlocks }: DeploymentConfig,
  urls: readonly string[],
): Promise<readonly Finding[]> {
  const clients = urls.map((url) => ({
    name: `node ${new URL(url).host}`,
    client: createChainClient({ chainId, rpcUrls: [url] }),
  }))
  const heads = await Promise.all(clients.map(({ client }) => client.getBlockNumber().catch(() => null)))
  const lowest = heads.reduce(
    (least, head) => (head !== null && (least === null || head < least) ? head : least),
    null,
  )
  const depth = BigInt(finalityBlocks)
  const blockNumber = lowest !== null && lowest > depth ? lowest - depth : 0n
  const shown = await Promise.all(
    clients.map(async ({ name, client }) => {
      const block = await client.getBlock({ blockNumber }).catch(reasonOf)
      return { name, hash: typeof block === 'string' ? block : block.hash }
    }),
  )
  const [first, ...others] = shown
  return others.flatMap(({ name, hash }) =>
    hash === first?.hash
      ? []
      : {
          subject: name,
          found: `has block ${blockNumber} as ${hash}, and ${first?.name} as ${first?.hash}`,
          mend: 'they are of two chains with one id: leave that out of rpcUrls which an explorer contradicts',
        },
  )
}
