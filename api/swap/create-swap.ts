import type { ChainIdCheck } from '../../shared/chain/nodes/verify-chain-id.ts'
import { findSwapChains, recordSwapChains } from '../../shared/db/chain-facts/swap-chains.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { Network } from '../../shared/domain/networks.ts'
import { SWAP_PROVIDERS, type SwapProviderName } from '../../shared/domain/swap/swap-providers.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import { combineSignals } from '../../shared/runtime/combine-signals.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { createLoop } from '../../shared/runtime/poll-loop.ts'
import type { SwapConfig, SwapFee } from '../../shared/runtime/swap-config.ts'
import { createChains, type FindChain } from '../http/chain-clients.ts'
import { createZeroExProvider } from './0x/create-provider.ts'
import { createCircuitBreaker } from './circuit-breaker.ts'
import type { SwapProvider } from './provider.ts'

/** The configured provider and fee of swap-to-pay, and the networks that it supports. */
export type Swap = {
  readonly provider: SwapProvider
  readonly fee: SwapFee | null
  /** Returns our live networks that the provider supports. */
  readonly networks: () => ReadonlySet<Network>
  /** Starts fetching the provider's chains in the background. */
  readonly start: () => void
  readonly stop: () => Promise<void>
}

type Deps = {
  readonly sql: Sql
  readonly config: Pick<ApiConfig, 'deployments' | 'swap'>
  readonly log: Logger
  readonly onNodeVerdict?: (verdict: ChainIdCheck) => void
}

/** Maximum interval of retries after the provider's chains could not be fetched. */
const RETRY_MS = 60_000
const REFRESH_MS = 86_400_000
const LIST_TIMEOUT_MS = 10_000

/**
 * Creates swap-to-pay; `null` if no provider is configured.
 *
 * The provider's chains are fetched in the background, so that the process starts even if the provider is down. Until
 * they are fetched, the last stored chains apply, or without any the chains in `SWAP_PROVIDERS` (decisions 8.4).
 */
export function createSwap(deps: Deps): Swap | null {
  const { config, log, sql } = deps
  if (config.swap === null) return null
  const chainOf = createChains(config.deployments, deps.onNodeVerdict)
  const provider = createCircuitBreaker(PROVIDERS[config.swap.provider](config.swap, chainOf), () =>
    performance.now(),
  )
  const { name } = provider
  let networks = listNetworks(deps, SWAP_PROVIDERS[name].chainIds)
  let isFirst = true
  const stopping = new AbortController()
  const turn = async (): Promise<'idle'> => {
    if (isFirst) networks = listNetworks(deps, await findSwapChains(sql, name))
    isFirst = false
    const chainIds = await provider.listChains(
      combineSignals([stopping.signal, AbortSignal.timeout(LIST_TIMEOUT_MS)]),
    )
    networks = listNetworks(deps, chainIds)
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

const PROVIDERS: Readonly<
  Record<SwapProviderName, (config: SwapConfig, chainOf: FindChain) => SwapProvider>
> = { '0x': createZeroExProvider }

/** Lists only networks of our live deployments, because our own nodes must verify the offers. */
function listNetworks({ config }: Pick<Deps, 'config'>, chainIds: readonly number[]): ReadonlySet<Network> {
  const served = config.deployments.filter(
    ({ environment, chainId }) => environment === 'live' && chainIds.includes(chainId),
  )
  return new Set(served.map(({ network }) => network))
}
