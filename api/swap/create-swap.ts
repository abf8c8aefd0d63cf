import type { NodeVerdict } from '../../shared/chain/node-identity.ts'
import { findSwapChains, recordSwapChains } from '../../shared/db/chain-facts/swap-chains.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { Network } from '../../shared/domain/networks.ts'
import { SWAP_PROVIDERS, type SwapProviderName } from '../../shared/domain/swap-providers.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { createLoop } from '../../shared/runtime/poll-loop.ts'
import type { SwapConfig, SwapFee } from '../../shared/runtime/swap-config.ts'
import { type ChainOf, createChains } from '../chain-clients.ts'
import { createZeroExProvider } from './0x/create-provider.ts'
import { breakCircuit } from './break-circuit.ts'
import type { SwapProvider } from './provider.ts'

/** Swap-to-pay as it is configured. */
export type Swap = {
  readonly provider: SwapProvider
  readonly fee: SwapFee | null
  /** The live networks of ours on which the provider swaps. */
  readonly networks: () => ReadonlySet<Network>
  /** Begins to ask the provider where it swaps; returns at once. */
  readonly start: () => void
  readonly stop: () => Promise<void>
}

type Deps = {
  readonly sql: Sql
  readonly config: Pick<ApiConfig, 'deployments' | 'swap'>
  readonly log: Logger
  readonly onNodeVerdict?: (verdict: NodeVerdict) => void
}

/** Asked again until it says where it swaps, and then once a day. */
const RETRY_MS = 60_000
const REFRESH_MS = 86_400_000
const LIST_WITHIN_MS = 10_000

/**
 * Makes swap-to-pay; `null` where no provider is configured.
 *
 * Where the provider swaps is asked in the background: a provider that is down keeps nobody from starting, and until it
 * has answered, what it said last or is known to say counts (decisions 8.4).
 */
export function createSwap(deps: Deps): Swap | null {
  const { config, log, sql } = deps
  if (config.swap === null) return null
  const chainOf = createChains(config.deployments, deps.onNodeVerdict)
  const provider = breakCircuit(PROVIDERS[config.swap.provider](config.swap, chainOf), () =>
    performance.now(),
  )
  const { name } = provider
  let networks = networksOf(deps, SWAP_PROVIDERS[name].chainIds)
  let isFirst = true
  const stopping = new AbortController()
  const turn = async (): Promise<'idle'> => {
    if (isFirst) networks = networksOf(deps, await findSwapChains(sql, name))
    isFirst = false
    const chainIds = await provider.listChains(
      AbortSignal.any([stopping.signal, AbortSignal.timeout(LIST_WITHIN_MS)]),
    )
    networks = networksOf(deps, chainIds)
    await recordSwapChains(sql, { provider: name, chainIds })
    return 'idle'
  }
  const loop = createLoop({
    name: 'swap chains',
    intervalMs: REFRESH_MS,
    maxBackoffMs: RETRY_MS,
    turn,
    log,
  })
  return {
    provider,
    fee: config.swap.fee,
    networks: () => networks,
    start: loop.start,
    stop: () => {
      stopping.abort()
      return loop.stop()
    },
  }
}

/** Another provider is another folder and another line. */
const PROVIDERS: Readonly<Record<SwapProviderName, (config: SwapConfig, chainOf: ChainOf) => SwapProvider>> =
  { '0x': createZeroExProvider }

/** Without a deployment of ours no node could tell us whether an offer is honest. */
function networksOf({ config }: Pick<Deps, 'config'>, chainIds: readonly number[]): ReadonlySet<Network> {
  const served = config.deployments.filter(
    ({ environment, chainId }) => environment === 'live' && chainIds.includes(chainId),
  )
  return new Set(served.map(({ network }) => network))
}
