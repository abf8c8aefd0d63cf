import { parseArgs } from 'node:util'
import { privateKeyToAccount } from 'viem/accounts'
import { createChainClient } from '../../shared/chain/client.ts'
import { readServedChainId } from '../../shared/chain/node-transport.ts'
import { readKeeperConfig } from '../../shared/runtime/command-config.ts'
import { createLifecycle } from '../../shared/runtime/lifecycle.ts'
import { createLogger } from '../../shared/runtime/logger.ts'
import { createLoop } from '../../shared/runtime/poll-loop.ts'
import { createApiClient } from './client.ts'
import { followDistributions } from './distribution-feed.ts'
import { createKeeper, type KeptChain } from './keep.ts'

const USAGE = `A reference keeper: distributes for others whatever pays more than its gas, and earns the incentive.

  npm run keeper -- --rpc NETWORK=URL [--rpc NETWORK=URL …]
      --coin-usd NETWORK=PRICE   of the network's native coin, in dollars; 3000 otherwise
      --margin FACTOR            how many times its gas a reward must be; 1.2 otherwise

It uses nothing but the public feed and these nodes. KEEPER_API_URL, KEEPER_API_KEY (any key of the environment to
work in) and KEEPER_PRIVATE_KEY (pays the gas, gets the incentive) stand in the environment.
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
    },
  })
  const config = readKeeperConfig()
  const log = createLogger({ level: 'info', service: 'keeper' })
  const account = privateKeyToAccount(config.privateKey)
  const chains = await connectChains(parsePairs(values.rpc), parsePairs(values['coin-usd']))
  const api = createApiClient(config)
  const keeper = createKeeper({ account, chains, margin: Number(values.margin), log })
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

/** The chain id is the node's own word; the feed's distributions are of another chain if it is the wrong node. */
async function connectChains(
  rpcUrls: ReadonlyMap<string, string>,
  prices: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, KeptChain>> {
  const chains = new Map<string, KeptChain>()
  for (const [network, url] of rpcUrls) {
    const chainId = await readServedChainId({ url, timeoutMs: CHAIN_ID_TIMEOUT_MS })
    const client = createChainClient({ chainId, rpcUrls: [url] })
    chains.set(network, { client, coinUsd: Number(prices.get(network) ?? DEFAULT_COIN_USD) })
  }
  return chains
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
