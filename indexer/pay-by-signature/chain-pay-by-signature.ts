import { privateKeyToAccount } from 'viem/accounts'
import { createChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import { getPollIntervalMs } from '../../shared/domain/poll-interval.ts'
import { createChainLoop } from '../../shared/runtime/chain-loop.ts'
import type { IndexerDeployment } from '../../shared/runtime/indexer-config.ts'
import { type PayBySignatureConfig, paysBySignature } from '../../shared/runtime/pay-by-signature-config.ts'
import type { Loop } from '../../shared/runtime/poll-loop.ts'
import { createEvmRelayer, type EvmRelayer } from '../relayer/evm-relayer.ts'
import { createBalanceWatch } from '../relayer/watch-balance.ts'
import type { AuthorizationContext } from './authorization-context.ts'
import { createAuthorizationWorker } from './authorization-worker.ts'
import { createSignablePairPublisher } from './publish-signable-pairs.ts'
import { trackAuthorizations } from './track-authorizations.ts'

/** Poll interval for requests. It is short because a payer waits. A notification also wakes the loop. */
const INTERVAL_MS = 1_000
/**
 * Delay before the first retry; each further retry waits longer. Each attempt sends a dozen requests, and usually fails
 * until the next block arrives or a node recovers.
 */
const RETRY_SECONDS = 3
/**
 * See `TrackingContext.lookSeconds`. A change of our own transaction is noticed in the next turn, a third party's
 * transaction after about 5 s.
 */
const LOOK_SECONDS = 5
/** Poll interval for the status of signed transactions. Their first broadcast does not wait for a poll. */
const TRACKING = { blocks: 0.5, leastMs: 500, mostMs: 3_000 }
/**
 * Interval at which the signable pairs are published. It is short because a pair can be published only once its feed
 * has started. A published pair that is not renewed expires after ten minutes.
 */
const OFFER_INTERVAL_MS = 2_000
const BALANCE_INTERVAL_MS = 60_000
/** Interval while the network sleeps. No transaction is sent during this time, so the balance does not fall. */
const BALANCE_ASLEEP_MS = 3_600_000

/**
 * Limits of the account for authorizations. They are tighter than the limits of the payouts' account, because a payer
 * waits thirty seconds for a transaction, and a transaction is useless after the window of its signature.
 */
const TERMS = { maxUnmined: 8, rebroadcastSeconds: 5, replaceAfterSeconds: 20, emptyAfterSeconds: 60 }

type Deps = Pick<AuthorizationContext, 'sql' | 'clock' | 'log' | 'metrics' | 'staleAfter'> & {
  readonly deployment: IndexerDeployment
  /** `null` if no network is configured for payment by signature. */
  readonly config: PayBySignatureConfig | null
}

/** `wake` starts a turn that processes new requests. */
export type ChainPayBySignature = { readonly loops: readonly Loop[]; readonly wake: () => void }

/**
 * Creates the loops for payment by signature on one chain. They use a separate account with its own nonces and balance
 * monitor, so they never delay a payout. If the feature is disabled on the chain, no new signature is accepted, but
 * earlier authorizations are tracked until they reach a final status.
 */
export function createChainPayBySignature({ config, ...deps }: Deps): ChainPayBySignature {
  const { deployment } = deps
  const chain = describeChain(deps)
  const relayer = config === null ? null : createRelayer(chain, deps, config)
  const tracking = { intervalMs: getPollIntervalMs(deployment.blockTimeMs, TRACKING) }
  const loop: MakeLoop = (name, turn, pace) =>
    createChainLoop(deployment, { name, turn, ...pace, log: deps.log })
  const account = relayer?.address ?? null
  const followed = [
    loop('authorizations in flight', () => trackAuthorizations({ ...chain, account }), tracking),
    ...(relayer === null ? [] : [loop('authorization relayer', relayer.turn, tracking)]),
  ]
  if (config === null || relayer === null || !paysBySignature(config, deployment))
    return { loops: followed, wake: () => undefined }
  const taken = createTaking(
    { config, ...deps },
    { context: { ...chain, relayer, staleAfter: deps.staleAfter, retrySeconds: RETRY_SECONDS }, loop },
  )
  return { loops: [...taken.loops, ...followed], wake: taken.wake }
}

type MakeLoop = (
  name: string,
  turn: () => Promise<'more' | 'idle'>,
  pace: { readonly intervalMs: number; readonly asleepMs?: number },
) => Loop

function describeChain({ deployment, sql, clock, log, metrics }: Omit<Deps, 'config' | 'staleAfter'>) {
  const { confirmations, blockTimeMs } = deployment
  const chain = createChainNodes(deployment)
  return { sql, clock, log, metrics, chain, confirmations, blockTimeMs, lookSeconds: LOOK_SECONDS }
}

function createRelayer(
  context: ReturnType<typeof describeChain>,
  { deployment }: Pick<Deps, 'deployment'>,
  config: PayBySignatureConfig,
): EvmRelayer {
  const { confirmations, gasBounds, dataFee } = deployment
  return createEvmRelayer({
    ...{ ...context, nodes: context.chain, duty: 'authorizations', metrics: context.metrics.account },
    account: privateKeyToAccount(config.relayerPrivateKey),
    terms: { confirmations, gasBounds, dataFee, ...TERMS },
  })
}

function createTaking(
  { deployment, config, ...deps }: Deps & { readonly config: PayBySignatureConfig },
  { context, loop }: { readonly context: AuthorizationContext; readonly loop: MakeLoop },
): ChainPayBySignature {
  const { chain, relayer } = context
  const offer = createSignablePairPublisher({
    ...{ ...deps, chain, tokens: deployment.tokens, dailyGasLimit: config.dailyGasLimit },
    minimumMicro: config.minimumMicroOf(deployment.network),
  })
  const balance = createBalanceWatch({
    ...{ ...deployment, ...deps, nodes: chain, relayer: relayer.address, metrics: deps.metrics.account },
    duty: 'authorizations',
  })
  const taking = loop('authorizations', createAuthorizationWorker(context).turn, { intervalMs: INTERVAL_MS })
  return {
    wake: taking.wake,
    loops: [
      taking,
      loop('authorization offer', offer.turn, { intervalMs: OFFER_INTERVAL_MS }),
      loop('authorization balance', balance.turn, {
        ...{ intervalMs: BALANCE_INTERVAL_MS, asleepMs: BALANCE_ASLEEP_MS },
      }),
    ],
  }
}
