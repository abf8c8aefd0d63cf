import { privateKeyToAccount } from 'viem/accounts'
import { checkContracts } from '../../shared/chain/contracts/check-contracts.ts'
import { createChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import { readReportedChainId } from '../../shared/chain/nodes/node-transport.ts'
import type { Address } from '../../shared/domain/address.ts'
import { getSplitFactory, presentAddress } from '../../shared/domain/chain-families/chain-families.ts'
import type { Network } from '../../shared/domain/networks.ts'
import { configureNodes } from '../../shared/domain/node-config.ts'
import { findNode } from '../../shared/domain/node-endpoint.ts'
import { readDeployments, readKeeperConfig } from '../../shared/runtime/command-config.ts'
import { parseOptions, runCommandLine } from '../../shared/runtime/command-line.ts'
import { ConfigError } from '../../shared/runtime/config-error.ts'
import { createLifecycle } from '../../shared/runtime/lifecycle.ts'
import { createLogger } from '../../shared/runtime/logger.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import { createLoop } from '../../shared/runtime/poll-loop.ts'
import { createApiClient } from './client.ts'
import { createKeeper, type KeeperChain, type KeeperContext } from './create-keeper.ts'
import { followDistributions } from './distribution-feed.ts'
import { KEEPERS_BY_FAMILY } from './keepers-by-family.ts'
import { parseNetworkValues } from './parse-network-values.ts'
import { requirePrivateUrl } from './require-private-url.ts'

const DEFAULT_PRICES = Object.entries(KEEPERS_BY_FAMILY)
  .map(([family, { defaultCoinUsd }]) => `${defaultCoinUsd} (${family})`)
  .join(', ')

const USAGE = `A reference keeper: executes distributions whose incentive exceeds their cost by a margin, and earns it.

  npm run keeper -- --rpc NETWORK=URL [--rpc NETWORK=URL …]
      --coin-usd NETWORK=PRICE   price of the network's native coin in dollars; default ${DEFAULT_PRICES}
      --margin FACTOR            minimum ratio of reward to cost; default 1.2
      --insecure                 allow plain http to other machines

It uses only the public feed and these nodes. Set the environment variables KEEPER_API_URL, KEEPER_API_KEY (any key of
the live or test environment) and KEEPER_PRIVATE_KEY (its account pays the gas and receives the incentive).

It does not trust the feed. The factory is this release's, chain ids and tokens come from the built-in registry and the
NETWORKS_CONFIG file (the same file as the service's), the split's address is computed from the terms, and the reward is
read from the chain. It starts only if the contracts on every chain match this release byte for byte.

On TRON, URL ends in /jsonrpc, and the node serves /wallet and /walletsolidity next to it. The NETWORKS_CONFIG file must
name the factory: { "tron": { "live": { "splitFactory": "T…" } } }. The keeper's account (T…) pays in TRX. All energy is
priced in TRX, so a keeper that has staked for energy should set a lower coin price.
`

const DEFAULT_MARGIN = 1.2
const IDLE_MS = 1000
const CHAIN_ID_TIMEOUT_MS = 5000

await runCommandLine({ usage: USAGE, run })

async function run(args: string[]): Promise<readonly string[]> {
  const { values } = parseOptions(args, {
    texts: ['margin'],
    lists: ['rpc', 'coin-usd'],
    flags: ['insecure'],
  })
  const config = readKeeperConfig()
  const log = createLogger({ level: 'info', service: 'keeper' })
  const account = privateKeyToAccount(config.privateKey)
  const prices = parseNetworkValues('--coin-usd', values['coin-usd'])
  const rpcUrls = parseNetworkValues('--rpc', values.rpc)
  if (!values.insecure) {
    requirePrivateUrl('KEEPER_API_URL', config.apiUrl)
    for (const [network, url] of rpcUrls) requirePrivateUrl(`--rpc ${network}`, url)
  }
  const margin = readFactor('--margin', values.margin ?? String(DEFAULT_MARGIN))
  const chains = await connectChains(rpcUrls, { account, prices })
  const api = createApiClient(config)
  const keeper = createKeeper({ chains, margin, log })
  const stopping = new AbortController()

  const keep = createLoop({ name: 'keep', intervalMs: IDLE_MS, turn: keeper.turn, log })
  // After a permanent error, such as a revoked key, the loop logs the failure and opens the feed again.
  const follow = createLoop({ name: 'feed', intervalMs: IDLE_MS, turn: () => followFeed(), log })

  async function followFeed(): Promise<'idle'> {
    try {
      for await (const change of followDistributions(api, stopping.signal)) {
        keeper.hear(change)
        keep.wake()
      }
    } catch (error) {
      if (!stopping.signal.aborted) throw error
    }
    return 'idle'
  }

  await createLifecycle({ log }).start([
    { name: 'keep', start: keep.start, stop: keep.stop },
    {
      name: 'feed',
      start: follow.start,
      stop: async () => {
        stopping.abort()
        await follow.stop()
      },
    },
  ])
  const self = account.address.toLowerCase() as Address
  const keepers = [...chains].map(([network, { family }]) => [network, presentAddress(self, family)])
  log.info({
    msg: 'Started watching the feed',
    keepers: Object.fromEntries(keepers) as Record<string, string>,
  })
  return []
}

/**
 * Connects to the nodes. Each node must serve a known chain of its network with this release's contracts, because the
 * keeper signs only for that chain's id, factory and tokens, regardless of the feed.
 */
async function connectChains(
  rpcUrls: ReadonlyMap<Network, string>,
  { account, prices }: Pick<KeeperContext, 'account'> & { readonly prices: ReadonlyMap<Network, string> },
): Promise<ReadonlyMap<string, KeeperChain>> {
  const deployments = readDeployments()
  const chains = new Map<string, KeeperChain>()
  for (const [network, url] of rpcUrls) {
    const known = deployments.filter((deployment) => deployment.network === network)
    const rpcUrl = findNode(
      url,
      known.flatMap((deployment) => deployment.rpcUrls),
    )
    const chain = await requireContracts(await findServed({ network, url: rpcUrl }, known), rpcUrl)
    const { keep, defaultCoinUsd } = KEEPERS_BY_FAMILY[chain.family]
    const coinUsd = readFactor('--coin-usd', prices.get(network) ?? String(defaultCoinUsd))
    chains.set(network, keep({ account, chain, rpcUrl, coinUsd }))
  }
  return chains
}

/** @throws {ConfigError} unless the factory and its splits have this release's code */
async function requireContracts(
  deployment: DeploymentConfig,
  rpcUrl: string,
): Promise<KeeperContext['chain']> {
  const { network, family, chainId, tokens } = deployment
  const factory = getSplitFactory(deployment)
  const node = createChainNodes({ chainId, nodes: configureNodes([rpcUrl]), quorum: 1 })
  const found = await checkContracts(node, deployment)
  if (factory !== null && found === 'match') return { network, family, chainId, factory, tokens }
  throw new ConfigError([
    `--rpc ${network}: the contracts there could not be matched with this release: ${found}`,
  ])
}

/** @throws {ConfigError} if the node serves a chain that is not configured for the network */
async function findServed(
  { network, url }: { readonly network: string; readonly url: string },
  known: readonly DeploymentConfig[],
): Promise<DeploymentConfig> {
  const chainId = await readReportedChainId({ url, timeoutMs: CHAIN_ID_TIMEOUT_MS })
  const served = known.find((deployment) => deployment.chainId === chainId)
  if (served !== undefined) return served
  const ids = known.map((deployment) => deployment.chainId).join(' or ')
  throw new ConfigError([`--rpc ${network} serves chain ${chainId}: must be ${ids || 'of a known network'}`])
}

/** @throws {ConfigError} unless the value is a number above zero */
function readFactor(name: string, text: string): number {
  const value = Number(text)
  if (Number.isFinite(value) && value > 0) return value
  throw new ConfigError([`${name} is ${JSON.stringify(text)}: must be a number above zero`])
}
