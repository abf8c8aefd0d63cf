import { privateKeyToAccount } from 'viem/accounts'
import { createChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { paced } from '../../shared/domain/block-pace.ts'
import { type AuthorizationConfig, paysBySignature } from '../../shared/runtime/authorization-config.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { IndexerDeployment } from '../../shared/runtime/indexer-config.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { createLoop, type Loop } from '../../shared/runtime/poll-loop.ts'
import { createEvmRelayer, type EvmRelayer } from '../relayer/evm-relayer.ts'
import { createBalanceWatch } from '../relayer/watch-balance.ts'
import type { AuthorizationContext } from './authorization-context.ts'
import type { AuthorizationMetrics } from './authorization-metrics.ts'
import { createAuthorizationWorker } from './authorization-worker.ts'
import { followAuthorizations } from './follow-authorizations.ts'
import { createPairOffer } from './offer-pairs.ts'

/** Somebody waits, and a notification wakes it besides. */
const INTERVAL_MS = 1_000
/** Each try is a dozen requests; what it waits for is a block, or a node. The pauses grow. */
const RETRY_SECONDS = 3
/** Our own, when it is mined, is seen at once; somebody else's so late. */
const LOOK_SECONDS = 5
/** What is signed goes to the nodes at once; this is how often they are asked what has become of it. */
const TRACKING = { blocks: 0.5, leastMs: 500, mostMs: 3_000 }
/** A pair is known only once its feed has started; an offer that nobody renews is void after ten minutes. */
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
  /** `null`: no network is named, and there is no key. */
  readonly config: AuthorizationConfig | null
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: AuthorizationMetrics
}

/** What pays by signature on one chain; `wake` when somebody asks for it. */
export type ChainAuthorizations = { readonly loops: readonly Loop[]; readonly wake: () => void }

/**
 * Makes the loops that pay by signature on one chain, with an account, nonces and a watch of their own: nothing of theirs
 * holds up a payout. Where it is switched off nothing more is taken, and what was taken before is followed to its end.
 */
export function createChainAuthorizations({ config, ...deps }: Deps): ChainAuthorizations {
  const { deployment } = deps
  const chain = describeChain(deps)
  const relayer = config === null ? null : createRelayer(chain, deps, config)
  const trackingMs = paced(deployment.blockTimeMs, TRACKING)
  const loop: MakeLoop = (name, turn, intervalMs) =>
    createLoop({ name: `${name} ${deployment.chainId}`, turn, intervalMs, log: deps.log })
  const account = relayer?.address ?? null
  const followed = [
    loop('authorizations under way', () => followAuthorizations({ ...chain, account }), trackingMs),
    ...(relayer === null ? [] : [loop('authorization relayer', relayer.turn, trackingMs)]),
  ]
  if (config === null || relayer === null || !paysBySignature(config, deployment))
    return { loops: followed, wake: () => undefined }
  const taken = createTaking(
    { config, ...deps },
    { context: { ...chain, relayer, retrySeconds: RETRY_SECONDS }, loop },
  )
  return { loops: [...taken.loops, ...followed], wake: taken.wake }
}

type MakeLoop = (name: string, turn: () => Promise<'more' | 'idle'>, intervalMs: number) => Loop

function describeChain({ deployment, sql, clock, log, metrics }: Omit<Deps, 'config'>) {
  const { confirmations, blockTimeMs } = deployment
  const chain = createChainNodes(deployment)
  return { sql, clock, log, metrics, chain, confirmations, blockTimeMs, lookSeconds: LOOK_SECONDS }
}

function createRelayer(
  context: ReturnType<typeof describeChain>,
  { deployment }: Pick<Deps, 'deployment'>,
  config: AuthorizationConfig,
): EvmRelayer {
  const { confirmations, gasBounds, dataFee } = deployment
  return createEvmRelayer({
    ...{ ...context, nodes: context.chain, duty: 'authorizations', metrics: context.metrics.account },
    account: privateKeyToAccount(config.relayerPrivateKey),
    terms: { confirmations, gasBounds, dataFee, ...TERMS },
  })
}

/** Makes the loops that take what is signed, and say for which tokens. */
function createTaking(
  { deployment, config, ...deps }: Deps & { readonly config: AuthorizationConfig },
  { context, loop }: { readonly context: AuthorizationContext; readonly loop: MakeLoop },
): ChainAuthorizations {
  const { chain, relayer } = context
  const offer = createPairOffer({
    ...{ ...deps, chain, tokens: deployment.tokens, dailyGas: config.dailyGas },
    minimumMicro: config.minimumMicroOf(deployment.network),
  })
  const balance = createBalanceWatch({
    ...{ ...deployment, ...deps, nodes: chain, relayer: relayer.address, metrics: deps.metrics.account },
    duty: 'authorizations',
  })
  const taking = loop('authorizations', createAuthorizationWorker(context).turn, INTERVAL_MS)
  return {
    wake: taking.wake,
    loops: [
      taking,
      loop('authorization offer', offer.turn, OFFER_INTERVAL_MS),
      loop('authorization balance', balance.turn, BALANCE_INTERVAL_MS),
    ],
  }
}
