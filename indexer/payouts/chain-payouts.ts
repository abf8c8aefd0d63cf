import { privateKeyToAccount } from 'viem/accounts'
import { createChainClient } from '../../shared/chain/client.ts'
import { createRestrictionReader } from '../../shared/chain/restrictions.ts'
import type { Db, Sql } from '../../shared/db/connect.ts'
import { paced } from '../../shared/domain/block-pace.ts'
import { microToAtto } from '../../shared/domain/money.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { IndexerConfig, IndexerDeployment } from '../../shared/runtime/indexer-config.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { createLoop, type Loop } from '../../shared/runtime/poll-loop.ts'
import { createEscrowWorker } from '../escrow/escrow-worker.ts'
import type { PayoutMetrics } from '../relayer/payout-metrics.ts'
import { createRelayer } from '../relayer/relayer.ts'
import { createBalanceWatch } from '../relayer/watch-balance.ts'
import { createChainNodes } from '../transport/node-heads.ts'
import { createPayoutWorker } from './payout-actor.ts'
import { createReleaseWorker, type ReleaseWorkerDeps } from './release-held.ts'

/** What paying out on one chain works with. */
export type ChainPayoutsDeps = {
  readonly sql: Sql
  readonly deployment: IndexerDeployment
  readonly relayerPrivateKey: `0x${string}`
  readonly payouts: IndexerConfig['payouts']
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: PayoutMetrics
  readonly reportPayoutFailed: (db: Db, chargeId: string) => Promise<void>
}

/** What is signed goes to the nodes at once; this is how often they are asked what has become of it, two requests each. */
const TRACKING = { blocks: 0.5, leastMs: 1_000, mostMs: 6_000 }
/** The turns look at rows, not at time: a payout waits for its grace period at least, so a second is early enough. */
const INTERVAL_MS = 1_000
/** What is held waits for an issuer, who takes days. */
const RELEASES_INTERVAL_MS = 10_000
const BALANCE_INTERVAL_MS = 60_000
/** An attempt that read a dead node ends well within this. */
const LEASE_SECONDS = 60
const BATCH = 8
/** Nodes keep few transactions of one account (geth: 64 queued); the rest wait in our table. */
const MAX_UNMINED = 8
/** A distribution to 16 recipients takes under 700,000 gas on first deployment, posting apart; beyond this something is wrong. */
const MAX_GAS = 2_000_000n
const REBROADCAST_SECONDS = 15
const REPLACE_AFTER_SECONDS = 120
/** Twenty offers that nobody took. */
const EMPTY_AFTER_SECONDS = 300

/**
 * Makes the loops that move money on one chain: the worker that claims payouts, the ones that take escrow orders and
 * release held shares, the relayer that sends what they have signed, and the watch over its gas money.
 */
export function createChainPayouts(deps: ChainPayoutsDeps): readonly Loop[] {
  const { deployment, log } = deps
  const client = createChainClient(deployment)
  const nodes = createChainNodes(deployment).map((node) => node.client)
  const relayer = createRelayer({
    ...deps,
    client,
    nodes,
    account: privateKeyToAccount(deps.relayerPrivateKey),
    terms: {
      confirmations: deployment.confirmations,
      gasBounds: deployment.gasBounds,
      dataFee: deployment.dataFee,
      maxUnmined: MAX_UNMINED,
      rebroadcastSeconds: REBROADCAST_SECONDS,
      replaceAfterSeconds: REPLACE_AFTER_SECONDS,
      emptyAfterSeconds: EMPTY_AFTER_SECONDS,
    },
  })
  const readIssuer = createRestrictionReader(client)
  const readRestriction: ReleaseWorkerDeps['readRestriction'] = async (tokenAddress, query) => {
    const token = deployment.tokens.find(({ address }) => address === tokenAddress)
    return token ? readIssuer({ ...query, token }) : 'unknown'
  }
  const terms = {
    leaseSeconds: LEASE_SECONDS,
    minimumAtto: microToAtto(deployment.minimumPayoutMicro),
    batchSize: BATCH,
  }
  const shared = { ...deps, client, nodes, relayer }
  const worker = createPayoutWorker({
    ...shared,
    readSending: (tokenAddress, account) => readRestriction(tokenAddress, { account, direction: 'send' }),
    terms: { ...deps.payouts, ...terms, maxGas: MAX_GAS },
  })
  const releases = createReleaseWorker({ ...shared, readRestriction, terms })
  const balance = createBalanceWatch({ ...deployment, ...shared, relayer: relayer.address })
  const escrow = createEscrowWorker({ ...shared, maxGas: MAX_GAS })
  const loop = (what: string, part: { readonly turn: () => Promise<'more' | 'idle'> }, intervalMs: number) =>
    createLoop({ name: `${what} ${deployment.chainId}`, intervalMs, turn: part.turn, log })
  return [
    loop('payouts', worker, INTERVAL_MS),
    loop('escrow orders', escrow, INTERVAL_MS),
    loop('relayer', relayer, paced(deployment.blockTimeMs, TRACKING)),
    loop('releases', releases, RELEASES_INTERVAL_MS),
    loop('relayer balance', balance, BALANCE_INTERVAL_MS),
  ]
}
