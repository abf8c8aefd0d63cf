import { type ContractsCheck, checkContracts } from '../../../shared/chain/contracts/check-contracts.ts'
import { type ChainNodes, createChainNodes } from '../../../shared/chain/nodes/chain-nodes.ts'
import { type ChainClient, createChainClient } from '../../../shared/chain/nodes/client.ts'
import { readReportedChainId } from '../../../shared/chain/nodes/node-transport.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { CHAIN_FAMILIES, getSplitFactory } from '../../../shared/domain/chain-families/chain-families.ts'
import { getHost } from '../../../shared/domain/node-config.ts'
import { CommandError } from '../../../shared/runtime/command-line.ts'
import { InsecureUrl, requirePrivateUrl } from '../require-private-url.ts'
import type { KnownChain } from './known-chains.ts'
import { tryAgain } from './try-again.ts'

/** A chain on which charges are paid out, with the nodes that serve it. */
export type ExitChain = KnownChain & {
  readonly rpcUrls: readonly string[]
  /** Tries the nodes in order until one responds. */
  readonly client: ChainClient
  /** The quorum is more than half of the hosts. */
  readonly nodes: ChainNodes
  /** `null` if the chain family has no fixed factory, and the user gave none. */
  readonly factory: Address | null
  readonly contracts: ContractsCheck
}

export type ConnectedChains = {
  readonly chains: readonly ExitChain[]
  /** Hosts of nodes that did not return their chain id. */
  readonly silent: readonly string[]
}

const CHAIN_ID_TIMEOUT_MS = 10_000

/**
 * Reads the chain id of each node, and compares the contracts of each chain with this release. A node that does not
 * respond does not prevent the use of the other nodes.
 *
 * @param options.factory - trusted factory of a chain family without a fixed factory, in the family's own notation
 * @throws {CommandError} if a URL is invalid or insecure, or a node serves an unknown chain; {Error} if no node returns
 * its chain id
 */
export async function connectChains(
  rpcUrls: readonly string[],
  options: {
    readonly known: readonly KnownChain[]
    readonly factory?: string | undefined
    readonly isInsecure: boolean
  },
): Promise<ConnectedChains> {
  for (const url of rpcUrls) requireUrl(url, options)
  const found = await Promise.all(rpcUrls.map((url) => findServed(url, options.known)))
  const silent = rpcUrls.filter((_, index) => found[index] === null).map(getHost)
  if (silent.length === rpcUrls.length)
    throw new Error(`--rpc ${silent.join(', ')}: no node returned its chain id`)
  const served = new Set(found.filter((chain) => chain !== null))
  const chains = [...served].map((chain) => {
    const urls = rpcUrls.filter((_, index) => found[index] === chain)
    return connect(chain, urls, options.factory)
  })
  return { chains: await Promise.all(chains), silent }
}

async function connect(
  chain: KnownChain,
  rpcUrls: readonly string[],
  named: string | undefined,
): Promise<ExitChain> {
  const { family, chainId } = chain
  const splitFactory = (named && CHAIN_FAMILIES[family].parseAddress(named)) || chain.splitFactory
  const place = { family, splitFactory }
  const voters = rpcUrls.map((url) => ({ url, name: getHost(url), operator: getHost(url) }))
  const quorum = Math.floor(new Set(voters.map(({ operator }) => operator)).size / 2) + 1
  const nodes = createChainNodes({ chainId, nodes: voters, quorum })
  const contracts = await tryAgain(
    // One node suffices, so that a silent node prevents no payment. If it reports false code, transactions only revert.
    () => checkContracts({ ...nodes, quorum: 1 }, place),
    (found) => found !== 'unreachable',
  )
  const client = createChainClient({ chainId, rpcUrls })
  return { ...chain, rpcUrls, client, nodes, factory: getSplitFactory(place), contracts }
}

/** @throws {CommandError} for text that is not a URL, and for an unencrypted URL, whose responses could be forged */
function requireUrl(text: string, { isInsecure }: { readonly isInsecure: boolean }): void {
  if (!URL.canParse(text) || !/^(https?|wss?):/.test(text))
    throw new CommandError(`--rpc is ${JSON.stringify(text)}: must be an http, https, ws or wss URL`)
  if (isInsecure) return
  try {
    requirePrivateUrl('--rpc', text)
  } catch (error) {
    throw error instanceof InsecureUrl ? new CommandError(error.message) : error
  }
}

/** Returns `null` if the node does not respond. Messages name only the host, because the URL might contain a key. */
async function findServed(url: string, known: readonly KnownChain[]): Promise<KnownChain | null> {
  const host = getHost(url)
  const chainId = await tryAgain(
    () => readReportedChainId({ url, timeoutMs: CHAIN_ID_TIMEOUT_MS }).catch(() => null),
    (id) => id !== null,
  )
  if (chainId === null) return null
  const chain = known.find((one) => one.chainId === chainId)
  if (chain !== undefined) return chain
  const ids = known.map((one) => `${one.name} ${one.chainId}`).join(', ')
  throw new CommandError(`--rpc ${host} serves chain ${chainId}: must be one of ${ids}`)
}
