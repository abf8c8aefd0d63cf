import { type ChainClient, createChainClient } from '../../../shared/chain/nodes/client.ts'
import type { NodeConfig } from '../../../shared/domain/node-config.ts'
import type { DeploymentConfig } from '../../../shared/runtime/networks-config.ts'
import { describeError, type Finding } from './finding.ts'

type NamedClient = { readonly name: string; readonly client: ChainClient }

/**
 * Compares the nodes' hashes of a final block and, if they are equal, of the newest block that is at confirmation depth
 * on every node. Nodes with the same chain id might serve different chains, and a node might lie.
 *
 * @param nodes - nodes that respond and serve the configured chain id
 * @returns a finding for each node that differs from the first node, with the hash or error that each of them returns
 */
export async function compareNodes(
  { chainId, finalityBlocks, confirmations }: DeploymentConfig,
  nodes: readonly NodeConfig[],
): Promise<readonly Finding[]> {
  const clients = nodes.map(({ name, url }) => ({
    name: `node ${name}`,
    client: createChainClient({ chainId, rpcUrls: [url] }),
  }))
  const head = await readLowestHead(clients)
  const blockAt = (depth: number) => (head > BigInt(depth) ? head - BigInt(depth) : 0n)
  const ofTwoChains = await compareAt(clients, { blockNumber: blockAt(finalityBlocks), remedy: TWO_CHAINS })
  if (ofTwoChains.length > 0) return ofTwoChains
  return compareAt(clients, { blockNumber: blockAt(confirmations - 1), remedy: ONE_IS_WRONG })
}

const TWO_CHAINS =
  'the nodes serve two chains with one id: remove from rpcUrls the node that a block explorer contradicts'
const ONE_IS_WRONG =
  'run the doctor again; if the nodes still differ, remove from rpcUrls the node that a block explorer contradicts'

async function readLowestHead(clients: readonly NamedClient[]): Promise<bigint> {
  const heads = await Promise.all(clients.map(({ client }) => client.getBlockNumber().catch(() => null)))
  const known = heads.filter((head) => head !== null)
  return known.reduce((lowest, head) => (head < lowest ? head : lowest), known[0] ?? 0n)
}

async function compareAt(
  clients: readonly NamedClient[],
  { blockNumber, remedy }: { readonly blockNumber: bigint; readonly remedy: string },
): Promise<readonly Finding[]> {
  const shown = await Promise.all(
    clients.map(async ({ name, client }) => {
      const block = await client.getBlock({ blockNumber }).catch(describeError)
      return { name, hash: typeof block === 'string' ? block : block.hash }
    }),
  )
  const [first, ...others] = shown
  return others
    .filter(({ hash }) => hash !== first?.hash)
    .map(({ name, hash }) => ({
      subject: name,
      found: `returns for the hash of block ${blockNumber}: ${hash}; ${first?.name} returns: ${first?.hash}`,
      remedy,
    }))
}
