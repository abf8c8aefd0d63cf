import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { NodeEntry } from '../../shared/domain/node-config.ts'
import { ACCOUNTS } from '../devnet/accounts.ts'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import type { ChainPlan } from '../devnet/networks.ts'
import { registeredChain } from '../devnet/real-networks/registered-chain.ts'
import { TRON_PLAN } from '../devnet/tron/tron-plan.ts'
import { untilOffered } from '../devnet/until-offered.ts'
import { type BudgetProxy, type EnforcedLimits, startBudgetProxy } from './budget-proxy.ts'

export type BudgetedNetwork = {
  readonly network: 'arc' | 'tron'
  /** Number of nodes, each with a different operator. */
  readonly nodes: number
  readonly enforced: EnforcedLimits
  /** Limits in the configuration of the service. */
  readonly configured: { readonly requestsPerSecond?: number; readonly requestsPerDay?: number }
}

/** A devnet with the block times of the real networks, whose nodes are behind providers that enforce limits. */
export type BudgetedDevnet = {
  readonly devnet: Devnet
  readonly proxies: Readonly<Record<string, readonly BudgetProxy[]>>
  readonly stop: () => Promise<void>
}

type Options = {
  readonly directory: string
  readonly networks: readonly BudgetedNetwork[]
  readonly program?: 'dist' | 'sources'
  /** Fraction of an hour's requests that the providers' hourly buckets hold. Default: 1. */
  readonly hourShare?: number
}

/** Starts both services with the nodes' limits configured, and waits until the pairs are available. */
export async function startBudgetedDevnet(options: Options): Promise<BudgetedDevnet> {
  const { directory, networks, program = 'dist', hourShare = 1 } = options
  const limited = join(directory, 'networks-limited.json')
  const settings = { NETWORKS_CONFIG: limited }
  const devnet = await startDevnet({
    ...{ directory, program, graceSeconds: 1, startsServices: false },
    chains: networks.map(({ network }) => planOf(network)),
    settings: { indexer: settings, api: settings },
  })
  const proxies: Record<string, readonly BudgetProxy[]> = {}
  const stop = async () => {
    await devnet.stop()
    for (const proxy of Object.values(proxies).flat()) await proxy.stop()
  }
  try {
    const config = JSON.parse(await readFile(join(directory, 'networks.json'), 'utf8')) as Config
    for (const plan of networks) {
      const chain = devnet.chains.find(({ network }) => network === plan.network)
      const { origin, pathname } = new URL(chain?.anvil.rpcUrl ?? '')
      const opened = await Promise.all(
        Array.from({ length: plan.nodes }, () =>
          startBudgetProxy(origin, { limits: plan.enforced, hourShare }),
        ),
      )
      proxies[plan.network] = opened
      const live = config[plan.network]?.live
      if (live === undefined) throw new Error(`${plan.network} is not configured`)
      live.rpcUrls = opened.map(({ url }, index) => ({
        ...{ url: `${url}${pathname === '/' ? '' : pathname}`, operator: `operator ${index + 1}` },
        ...plan.configured,
      }))
      live.quorum = 2
      // Use the polling interval of production.
      delete live.pollingIntervalMs
    }
    await writeFile(limited, JSON.stringify(config))
    await Promise.all([devnet.indexer.start(), devnet.api.start()])
    await untilOffered(devnet.description, devnet.chains)
  } catch (error) {
    await stop()
    throw error
  }
  return { devnet, proxies, stop }
}

type Config = Record<
  string,
  { live?: { rpcUrls: readonly NodeEntry[]; quorum: number; pollingIntervalMs?: number } }
>

/** Uses the block times of the registry. */
function planOf(network: BudgetedNetwork['network']): ChainPlan {
  return network === 'tron'
    ? { ...TRON_PLAN, blockMs: 3_000 }
    : registeredChain({ network, environment: 'live' }, { payers: [ACCOUNTS.payer.address] }).plan
}
