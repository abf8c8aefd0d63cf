import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Address } from 'viem'

import type { Address as KeptAddress } from '../../shared/domain/address.ts'
import { CHAIN_FAMILIES, presentAddress } from '../../shared/domain/chain-families/chain-families.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import type { Environment, Network, Token } from '../../shared/domain/networks.ts'
import { SPLIT_FACTORY } from '../../shared/domain/split-address.ts'
import { type Anvil, startAnvil } from './anvil.ts'
import { type DeployedToken, deployContracts, mineOnInterval, type TestToken } from './deploy.ts'

/** A chain to start, with the network and the environment that it represents. */
export type ChainPlan = {
  readonly network: Network
  readonly environment: Environment
  /** Different for each chain, so that code fails if it identifies a chain only by its network. */
  readonly chainId: number
  /** Tokens that are deployed on an empty chain, in this order. */
  readonly tokens: readonly TestToken[]
  /** Default: the devnet's confirmation depth. */
  readonly confirmations?: number
  readonly blockMs?: number
  /** Returns the nodes of a running chain and their quorum. Default: the chain's only node. */
  readonly nodes?: (rpcUrl: string) => Promise<ConfiguredNodes>
  /**
   * Set if the chain has the registry's chain id and tokens for its network. `NETWORKS_CONFIG` then contains only these
   * settings, the nodes and the start block.
   */
  readonly overrides?: { readonly blockTimeMs?: number }
  /** Starts the chain with all contracts. Default: starts anvil and deploys them. */
  readonly start?: (options: {
    readonly directory: string
    readonly blockMs: number
  }) => Promise<StartedChain>
}

/** A running node, and the tokens on its chain. */
export type StartedChain = {
  readonly anvil: Anvil
  readonly deployed: readonly DeployedToken[]
  /** Address of the factory, if it differs from the address on EVM chains. */
  readonly factory?: KeptAddress
  /** URL of the node's HTTP API. Only on TRON. */
  readonly httpUrl?: string
}

/** Nodes in the format of `NETWORKS_CONFIG`, the preferred node first. */
export type ConfiguredNodes = { readonly rpcUrls: readonly string[]; readonly quorum: number }

/** A running chain with its contracts. */
export type DevnetChain = ChainPlan & StartedChain

/** The live chain that most examples use. Its tokens have 6 decimals. */
export const BASE: ChainPlan = {
  network: 'base',
  environment: 'live',
  chainId: 31337,
  tokens: [
    { token: 'USDC', contract: 'TestUSDC', decimals: 6 },
    { token: 'USDT', contract: 'TestUSDT', decimals: 6 },
  ],
}

/** The devnet's chains: two live chains, whose tokens have 6 and 18 decimals, and a testnet. */
export const CHAINS: readonly ChainPlan[] = [
  BASE,
  {
    network: 'bnb',
    environment: 'live',
    chainId: 31338,
    tokens: [
      { token: 'USDC', contract: 'TestToken', decimals: 18 },
      { token: 'USDT', contract: 'TestToken', decimals: 18 },
    ],
  },
  {
    network: 'base',
    environment: 'test',
    chainId: 31339,
    tokens: [{ token: 'USDC', contract: 'TestUSDC', decimals: 6 }],
  },
]

/** The live chains, for tests that need no testnet. The Ponder of each chain uses 5 s of CPU time to start. */
export const LIVE_CHAINS = CHAINS.filter(({ environment }) => environment === 'live')

/** Whether the service supports payments on the chain. Its processes are configured only with such chains. */
export function isPayable({ network }: Pick<ChainPlan, 'network'>): boolean {
  return CHAIN_FAMILIES[REGISTRY[network].family].isPayable
}

/**
 * Starts a chain, deploys all contracts on it, and makes it mine a block every `blockSeconds`. If the plan has `start`,
 * only calls that.
 */
export async function startChain(
  plan: ChainPlan,
  options: { readonly directory: string; readonly blockSeconds: number },
): Promise<DevnetChain> {
  const { directory } = options
  const blockMs = plan.blockMs ?? options.blockSeconds * 1000
  if (plan.start !== undefined) return { ...plan, ...(await plan.start({ directory, blockMs })) }
  const name = `${plan.network}-${plan.environment}`
  const anvil = await startAnvil({ name, chainId: plan.chainId, directory })
  try {
    const deployed = await deployContracts(anvil, plan.tokens)
    await mineOnInterval(anvil, options.blockSeconds)
    return { ...plan, anvil, deployed }
  } catch (error) {
    await anvil.stop()
    throw error
  }
}

/** Settings that allow small charges on the local TRON, because its coins cost no money. */
const LOSSY = { acceptLossyPayouts: true, minimumPayout: '1', minimumCharge: '0' }

/**
 * Writes `networks.json`, which makes the registry's networks use the local chains. Returns the settings with which
 * both processes use the file.
 */
export async function writeNetworksConfig(
  chains: readonly DevnetChain[],
  options: { readonly directory: string; readonly confirmations: number; readonly blockSeconds: number },
): Promise<{ NETWORKS_CONFIG: string; DEPLOYMENTS: string }> {
  const config: Partial<Record<Network, Partial<Record<Environment, object>>>> = {}
  const served = chains.filter(isPayable)
  for (const { network, environment, anvil, deployed, ...plan } of served) {
    const nodes = (await plan.nodes?.(anvil.rpcUrl)) ?? { rpcUrls: [anvil.rpcUrl], quorum: QUORUM }
    const deployment = {
      chainId: anvil.chainId,
      confirmations: plan.confirmations ?? options.confirmations,
      blockTimeMs: plan.blockMs ?? options.blockSeconds * 1000,
      pollingIntervalMs: POLLING_INTERVAL_MS,
      ...nodes,
      startBlock: 0,
      ...(plan.factory !== undefined && { splitFactory: written(plan.factory, network), ...LOSSY }),
      tokens: tokenOverrides(deployed, network),
    }
    const place = { ...nodes, startBlock: 0 }
    const described = plan.overrides === undefined ? deployment : { ...place, ...plan.overrides }
    config[network] = { ...config[network], [environment]: described }
  }
  const path = join(options.directory, 'networks.json')
  await writeFile(path, JSON.stringify(config, null, 2))
  const names = served.map(({ network, environment }) => `${network}:${environment}`)
  return { NETWORKS_CONFIG: path, DEPLOYMENTS: names.join(',') }
}

/** Returns the chains in the format of `devnet.json`. */
export function presentNetworks(chains: readonly DevnetChain[], confirmations: number): DevnetNetworks {
  const networks: Partial<Record<Network, Partial<Record<Environment, PresentedDeployment>>>> = {}
  for (const { network, environment, anvil, deployed, ...plan } of chains) {
    const tokens = Object.fromEntries(
      deployed.map(({ token, address, decimals }) => [
        token,
        { address: written(address, network), decimals },
      ]),
    )
    const { rpcUrl, chainId } = anvil
    const place = { rpcUrl, ...(plan.httpUrl !== undefined && { httpUrl: plan.httpUrl }), chainId }
    const depth = plan.confirmations ?? confirmations
    const factory = written(plan.factory ?? SPLIT_FACTORY, network)
    const deployment = { ...place, confirmations: depth, quorum: QUORUM, factory, tokens }
    networks[network] = { ...networks[network], [environment]: deployment }
  }
  // Cast, because the format of a deployment depends on its network, but the loop builds all networks with one type.
  return networks as DevnetNetworks
}

/** A deployment in `devnet.json`, with addresses in the format of its family. */
type PresentedDeployment<Written = string> = {
  readonly rpcUrl: string
  /** URL of the HTTP API. Only on TRON. */
  readonly httpUrl?: string
  readonly chainId: number
  readonly confirmations: number
  /** Number of nodes that must return the same result: 1, because only `rpcUrl` is described. */
  readonly quorum: number
  readonly factory: Written
  readonly tokens: Partial<Record<Token, { readonly address: Written; readonly decimals: number }>>
}

/** The networks whose addresses have the format `0x…`. */
export type EvmNetwork = Exclude<Network, 'tron'>

export type DevnetNetworks = Partial<
  Record<EvmNetwork, Partial<Record<Environment, PresentedDeployment<Address>>>>
> & { readonly tron?: { readonly live: PresentedDeployment & { readonly httpUrl: string } } }

/** Quorum of a chain without `nodes` in its plan, because such a chain has only one node. */
const QUORUM = 1

/** Short, because a local node has no quota, but not so short that polling uses much CPU time between blocks. */
const POLLING_INTERVAL_MS = 500

/** Returns the token settings of a chain. Disables tokens that are not deployed on it. */
function tokenOverrides(
  deployed: readonly DeployedToken[],
  network: Network,
): Partial<Record<Token, object>> {
  const off = { USDC: { enabled: false }, USDT: { enabled: false } }
  const ours = deployed.map(({ token, address, decimals, authorization }) => [
    token,
    {
      ...{ address: written(address, network), decimals, enabled: true },
      ...(authorization && { authorization }),
    },
  ])
  return { ...off, ...(Object.fromEntries(ours) as Partial<Record<Token, object>>) }
}

/** Formats an address in the format of the network's chain family. */
function written(address: Address, network: Network): string {
  return presentAddress(address.toLowerCase() as KeptAddress, REGISTRY[network].family)
}
