import { parseArgs } from 'node:util'
import { privateKeyToAccount } from 'viem/accounts'
import { checkContracts } from '../../shared/chain/contracts-check.ts'
import { readServedChainId } from '../../shared/chain/node-transport.ts'
import { createChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { Address } from '../../shared/domain/address.ts'
import { presentAddress, splitFactoryOf } from '../../shared/domain/families/families.ts'
import { nodeNamed } from '../../shared/domain/node-address.ts'
import { configureNodes } from '../../shared/domain/node-config.ts'
import { readDeployments, readKeeperConfig } from '../../shared/runtime/command-config.ts'
import { ConfigError } from '../../shared/runtime/config-error.ts'
import { createLifecycle } from '../../shared/runtime/lifecycle.ts'
import { createLogger } from '../../shared/runtime/logger.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import { createLoop } from '../../shared/runtime/poll-loop.ts'
import { createApiClient } from './client.ts'
import { followDistributions } from './distribution-feed.ts'
import { KEEPERS } from './families.ts'
import { createKeeper, type Keeping, type KeptChain } from './keep.ts'
import { requirePrivateUrl } from './require-private-url.ts'

const DEFAULT_PRICES = Object.entries(KEEPERS)
  .map(([family, { defaultCoinUsd }]) => `${defaultCoinUsd} (${family})`)
  .join(', ')

const USAGE = `A reference keeper: distributes for others whatever pays more than its gas, and earns the incentive.

  npm run keeper -- --rpc NETWORK=URL [--rpc NETWORK=URL …]
      --coin-usd NETWORK=PRICE   of the network's native coin, in dollars; otherwise ${DEFAULT_PRICES}
      --margin FACTOR            how many times its gas a reward must be; 1.2 otherwise
      --insecure                 talk over plain http also to other machines than this one

It uses nothing but the public feed and these nodes. KEEPER_API_URL, KEEPER_API_KEY (any key of the environment to
work in) and KEEPER_PRIVATE_KEY (pays the gas, gets the incentive) stand in the environment.

It believes the feed nothing: the factory is this release's, chain ids and tokens are those of the built-in registry
and of the file that NETWORKS_CONFIG names (the same as the service's), the split's address is computed from the terms,
the reward is read from the chain. A chain without our contracts, byte for byte, is not worked on.

On TRON the URL is that of /jsonrpc, beside which /wallet and /walletsolidity stand, and the factory is the splitFactory
that the file names: { "tron": { "live": { "splitFactory": "T…" } } } is all it needs. The account is the key's, written
T…, and pays TRX; all energy is reckoned at its price, so who has staked for it names a lower one of the coin.
`

const DEFAULT_MARGIN = 1.2
const IDLE_MS = 1000
const CHAIN_ID_TIMEOUT_MS = 5000

if (process.argv.includes('--help')) process.stdout.write(USAGE)
else await run(process.argv.slice(2))

async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      rpc: { type: 'string', multiple: true, default: [] },
      'coin-usd': { type: 'string', multiple: true, default: [] },
      margin: { type: 'string', default: String(DEFAULT_MARGIN) },
      insecure: { type: 'boolean', default: false },
    },
  })
  const config = readKeeperConfig()
  const log = createLogger({ level: 'info', service: 'keeper' })
  const account = privateKeyToAccount(config.privateKey)
  const rpcUrls = parsePairs(values.rpc)
  if (!values.insecure) {
    requirePrivateUrl('KEEPER_API_URL', config.apiUrl)
    for (const [network, url] of rpcUrls) requirePrivateUrl(`--rpc ${network}`, url)
  }
  const margin = readFactor('--margin', values.margin)
  const chains = await connectChains(rpcUrls, { account, prices: parsePairs(values['coin-usd']) })
  const api = createApiClient(config)
  const keeper = createKeeper({ chains, margin, log })
  const stopping = new AbortController()

  const keep = createLoop({ name: 'keep', intervalMs: IDLE_MS, turn: keeper.turn, log })
  // What the client gives up, a key that was revoked say, is tried again and logged each time.
  const follow = createLoop({ name: 'feed', intervalMs: IDLE_MS, turn: () => hearAll(), log })

  async function hearAll(): Promise<'idle'> {
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
  log.info({ msg: 'Kept watch', keepers: Object.fromEntries(keepers) as Record<string, string> })
}

/**
 * Connects to the nodes, each of which must serve a chain that is known for its network, with our contracts on it: what
 * the keeper signs is for that chain id, whatever the feed says, and for its factory and tokens.
 */
async function connectChains(
  rpcUrls: ReadonlyMap<string, string>,
  { account, prices }: Pick<Keeping, 'account'> & { readonly prices: ReadonlyMap<string, string> },
): Promise<ReadonlyMap<string, KeptChain>> {
  const deployments = readDeployments()
  const chains = new Map<string, KeptChain>()
  for (const [network, url] of rpcUrls) {
    const known = deployments.filter((deployment) => deployment.network === network)
    const rpcUrl = nodeNamed(
      url,
      known.flatMap((deployment) => deployment.rpcUrls),
    )
    const chain = await requireContracts(await findServed({ network, url: rpcUrl }, known), rpcUrl)
    const { keep, defaultCoinUsd } = KEEPERS[chain.family]
    const coinUsd = readFactor('--coin-usd', prices.get(network) ?? String(defaultCoinUsd))
    chains.set(network, keep({ account, chain, rpcUrl, coinUsd }))
  }
  return chains
}

/** @throws {ConfigError} unless the code of the factory there is ours, and of the splits behind it */
async function requireContracts(deployment: DeploymentConfig, rpcUrl: string): Promise<Keeping['chain']> {
  const { network, family, chainId, tokens } = deployment
  const factory = splitFactoryOf(deployment)
  const node = createChainNodes({ chainId, nodes: configureNodes([rpcUrl]), quorum: 1 })
  const found = await checkContracts(node, deployment)
  if (factory !== null && found === 'match') return { network, family, chainId, factory, tokens }
  throw new ConfigError([`--rpc ${network}: the contracts there are not this release's: ${found}`])
}

/** @throws {ConfigError} if the node serves another chain than those known */
async function findServed(
  { network, url }: { readonly network: string; readonly url: string },
  known: readonly DeploymentConfig[],
): Promise<DeploymentConfig> {
  const chainId = await readServedChainId({ url, timeoutMs: CHAIN_ID_TIMEOUT_MS })
  const served = known.find((deployment) => deployment.chainId === chainId)
  if (served !== undefined) return served
  const ids = known.map((deployment) => deployment.chainId).join(' or ')
  throw new ConfigError([`--rpc ${network} serves chain ${chainId}: must be ${ids || 'of a known network'}`])
}

/** @throws {ConfigError} unless it is a number above zero */
function readFactor(name: string, text: string): number {
  const value = Number(text)
  if (Number.isFinite(value) && value > 0) return value
  throw new ConfigError([`${name} is ${JSON.stringify(text)}: must be a number above zero`])
}

/** Reads `base=http://…`. */
function parsePairs(texts: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    texts.map((text) => {
      const at = text.indexOf('=')
      return [text.slice(0, at), text.slice(at + 1)]
    }),
  )
}
