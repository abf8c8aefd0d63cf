import { privateKeyToAccount } from 'viem/accounts'
import { createChainClient } from '../../shared/chain/client.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { paced } from '../../shared/domain/block-pace.ts'
import type { AuthorizationConfig } from '../../shared/runtime/authorization-config.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { IndexerDeployment } from '../../shared/runtime/indexer-config.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { createLoop, type Loop } from '../../shared/runtime/poll-loop.ts'
import { createEvmRelayer } from '../relayer/evm-relayer.ts'
import { createBalanceWatch } from '../relayer/watch-balance.ts'
import { createChainNodes } from '../transport/node-heads.ts'
import type { AuthorizationMetrics } from './authorization-metrics.ts'
import { createAuthorizationWorker } from './authorization-worker.ts'
import { followAuthorizations } from './follow-authorizations.ts'
import { createPairOffer } from './offer-pairs.ts'

/** Somebody waits, and a notification wakes it besides. */
const INTERVAL_MS = 1_000
/** What is signed goes to the nodes at once; this is how often they are asked what has become of it. */
const TRACKING = { blocks: 0.5, leastMs: 500, mostMs: 3_000 }
/** Until all is offered that can be; then only once a minute. */
const OFFER_INTERVAL_MS = 2_000
const BALANCE_INTERVAL_MS = 60_000

/**
 * Bounds of the account for authorizations: somebody waits thirty seconds for each, and none is of use past its window, so
 * that all goes faster than for payouts.
 */
const TERMS = { maxUnmined: 8, rebroadcastSeconds: 5, replaceAfterSeconds: 20, emptyAfterSeconds: 60 }

type Deps = {
  readonly sql: Sql
  readonly deployment: IndexerDeployment
  readonly config: AuthorizationConfig
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: AuthorizationMetrics
}

/** What pays by signature on one chain; `wake` when somebody asks for it. */
export type ChainAuthorizations = { readonly loops: readonly Loop[]; readonly wake: () => void }

/**
 * Makes the loops that pay by signature on one chain, with an account, nonces and a watch of their own: nothing of theirs
 * holds up a payout.
 */
export function createChainAuthorizations({ deployment, config, ...deps }: Deps): ChainAuthorizations {
  const { chainId, confirmations, blockTimeMs, gasBounds, dataFee, network } = deployment
  const client = createChainClient(deployment)
  const nodes = createChainNodes(deployment).map((node) => node.client)
  const relayer = createEvmRelayer({
    ...{ ...deps, client, nodes, duty: 'authorizations', metrics: deps.metrics.account },
    account: privateKeyToAccount(config.relayerPrivateKey),
    terms: { confirmations, gasBounds, dataFee, ...TERMS },
  })
  const context = { ...deps, client, nodes, relayer, confirmations, blockTimeMs }
  const offer = createPairOffer({
    ...{ ...deps, client, tokens: deployment.tokens, dailyGas: config.dailyGas },
    minimumMicro: config.minimumMicroOf(network),
  })
  const balance = createBalanceWatch({
    ...{ ...deployment, ...deps, client, nodes, relayer: relayer.address, metrics: deps.metrics.account },
  })
  const worker = createAuthorizationWorker(context)
  const loop = (name: string, turn: () => Promise<'more' | 'idle'>, intervalMs: number) =>
    createLoop({ name: `${name} ${chainId}`, turn, intervalMs, log: deps.log })
  const taking = loop('authorizations', worker.turn, INTERVAL_MS)
  const trackingMs = paced(blockTimeMs, TRACKING)
  return {
    wake: taking.wake,
    loops: [
      taking,
      loop('authorizations under way', () => followAuthorizations(context), trackingMs),
      loop('authorization relayer', relayer.turn, trackingMs),
      loop('authorization offer', offer.turn, OFFER_INTERVAL_MS),
      loop('authorization balance', balance.turn, BALANCE_INTERVAL_MS),
    ],
  }
}
