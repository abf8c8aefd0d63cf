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

/** A chain to start, and what it stands for. */
export type ChainPlan = {
  readonly network: Network
  readonly environment: Environment
  /** Its own: chains told apart by their network's name alone would pass for one another. */
  readonly chainId: number
  /** Deployed on an empty chain, in this order. */
  readonly tokens: readonly TestToken[]
  /** Default: the devnet's. */
  readonly confirmations?: number
  readonly blockMs?: number
  /** Names the nodes of a chain that runs, and the quorum among them. Default: its one node, alone. */
  readonly nodes?: (rpcUrl: string) => Promise<ConfiguredNodes>
  /** It is the registry's own network, of which `NETWORKS_CONFIG` says only where its node is, and this. */
  readonly overrides?: { readonly blockTimeMs?: number }
  /** Starts another chain than anvil, with everything on it. */
  readonly start?: (options: {
    readonly directory: string
    readonly blockMs: number
  }) => Promise<StartedChain>
}

/** A node that runs, and the tokens that are on it. */
export type StartedChain = {
  readonly anvil: Anvil
  readonly deployed: readonly DeployedToken[]
  /** Where it is not at the address that it has on every EVM chain. */
  readonly factory?: KeptAddress
  /** Of an API beside JSON-RPC. */
  readonly httpUrl?: string
}

/** Nodes as configuration names them, the preferred one first. */
export type ConfiguredNodes = { readonly rpcUrls: readonly string[]; readonly quorum: number }

/** A chain that runs, with the contracts on it. */
export type DevnetChain = ChainPlan & StartedChain

/** The chain that most is shown on: a live one whose tokens have 6 decimals. */
export const BASE: ChainPlan = {
  network: 'base',
  environment: 'live',
  chainId: 31337,
  tokens: [
    { token: 'USDC', contract: 'TestUSDC', decimals: 6 },
    { token: 'USDT', contract: 'TestUSDT', decimals: 6 },
  ],
}

/** The devnet's chains: two live ones whose tokens have 6 and 18 decimals, and a testnet. */
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

/** Those that money is paid on, for who needs no testnet: each chain has a Ponder, whose start alone computes for 5 s. */
export const LIVE_CHAINS = CHAINS.filter(({ environment }) => environment === 'live')

/** Whether the service can be paid there yet, so that its processes are told of the chain. */
export function isPayable({ network }: Pick<ChainPlan, 'network'>): boolean {
  return CHAIN_FAMILIES[REGISTRY[network].family].isPayable
}

/** Starts a chain, deploys everything on it, and lets it mine a block every `blockSeconds`. */
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

/** Small charges are welcome on a chain whose coins cost nothing. */
const LOSSY = { acceptLossyPayouts: true, minimumPayout: '1', minimumCharge: '0' }

/** What both processes read as `NETWORKS_CONFIG` and `DEPLOYMENTS`: the registry's networks, on our chains. */
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

/** The chains as they stand in `devnet.json`. */
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
  // What the chains of a family are written like, the type says by the network's name.
  return networks as DevnetNetworks
}

/** A deployment as it is written, its addresses as users of its family write them. */
type PresentedDeployment<Written = string> = {
  readonly rpcUrl: string
  /** Of TRON alone. */
  readonly httpUrl?: string
  readonly chainId: number
  readonly confirmations: number
  /** Nodes that must agree before a fact counts. */
  readonly quorum: number
  readonly factory: Written
  readonly tokens: Partial<Record<Token, { readonly address: Written; readonly decimals: number }>>
}

/** The networks whose addresses are `0x…`. */
export type EvmNetwork = Exclude<Network, 'tron'>

export type DevnetNetworks = Partial<
  Record<EvmNetwork, Partial<Record<Environment, PresentedDeployment<Address>>>>
> & { readonly tron?: { readonly live: PresentedDeployment & { readonly httpUrl: string } } }

/** Each chain has one node, so that its word alone counts. */
const QUORUM = 1

/** A local node has no quota; what a payment waits for is the blocks. */
const POLLING_INTERVAL_MS = 200

/** Every token we did not deploy is switched off: the registry's address is nobody's here. */
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

/** Writes an address as the users of a network's family do. */
function written(address: Address, network: Network): string {
  return presentAddress(address.toLowerCase() as KeptAddress, REGISTRY[network].family)
}
