import { parseArgs } from 'node:util'
import { privateKeyToAccount } from 'viem/accounts'
import { createChainClient } from '../../shared/chain/client.ts'
import { readServedChainId } from '../../shared/chain/node-transport.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import { readDeployments, readKeeperConfig } from '../../shared/runtime/command-config.ts'
import { ConfigError } from '../../shared/runtime/config-error.ts'
import { createLifecycle } from '../../shared/runtime/lifecycle.ts'
import { createLogger } from '../../shared/runtime/logger.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import { createLoop } from '../../shared/runtime/poll-loop.ts'
import { createApiClient } from './client.ts'
import { followDistributions } from './distribution-feed.ts'
import { createKeeper, type KeptChain } from './keep.ts'
import { requirePrivateUrl } from './require-private-url.ts'

const USAGE = `A reference keeper: distributes for others whatever pays more than its gas, and earns the incentive.

  npm run keeper -- --rpc NETWORK=URL [--rpc NETWORK=URL …]
      --coin-usd NETWORK=PRICE   of the network's native coin, in dollars; 3000 otherwise
      --margin FACTOR            how many times its gas a reward must be; 1.2 otherwise
      --insecure                 talk over plain http also to other machines than this one

It uses nothing but the public feed and these nodes. KEEPER_API_URL, KEEPER_API_KEY (any key of the environment to
work in) and KEEPER_PRIVATE_KEY (pays the gas, gets the incentive) stand in the environment.

It believes the feed nothing: the factory is this release's, chain ids and tokens are those of the built-in registry
and of the file that NETWORKS_CONFIG names (the same as the service's), the split's address is computed from the terms,
the reward is read from the chain.
`

/** What an ether cost about when this was written; whoever means it says what his chain's coin costs. */
const DEFAULT_COIN_USD = 3000
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
  const chains = await connectChains(rpcUrls, parsePairs(values['coin-usd']))
  const api = createApiClient(config)
  const keeper = createKeeper({ account, chains, margin, log })
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
  log.info({ msg: 'Kept watch', keeper: account.address, networks: [...chains.keys()] })
}

/**
 * Connects to the nodes, each of which must serve a chain that is known for its network: what the keeper signs is for
 * that chain id, whatever the feed says, and for its tokens.
 */
async function connectChains(
  rpcUrls: ReadonlyMap<string, string>,
  prices: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, KeptChain>> {
  const deployments = readDeployments()
  const chains = new Map<string, KeptChain>()
  for (const [network, url] of rpcUrls) {
    const known = deployments.filter((deployment) => deployment.network === network)
    const { tokens, ...deployment } = await findServed({ network, url }, known)
    const client = createChainClient({ chainId: deployment.chainId, rpcUrls: [url] })
    const coinUsd = readFactor('--coin-usd', prices.get(network) ?? String(DEFAULT_COIN_USD))
    const { dataFee } = REGISTRY[deployment.network]
    chains.set(network, { client, tokens, coinUsd, dataFeeModel: dataFee.model })
  }
  return chains
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
