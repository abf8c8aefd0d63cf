import { BaseError, type LocalAccount } from 'viem'
import type { Hex } from '../../shared/domain/address.ts'
import { presentAddress, presentTransactionHash } from '../../shared/domain/chain-families/chain-families.ts'
import type { Network } from '../../shared/domain/networks.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import {
  type CheckedDistribution,
  checkDistribution,
  DistributionRejected,
  type TrustedChain,
} from './check-distribution.ts'
import { distributionKey, type FeedChange } from './distribution-feed.ts'
import { isProfitable, type ProfitEstimate } from './estimate-profit.ts'

/** A chain on which a keeper sends through its own node. The chain id and contracts have been verified. */
export type KeeperChain = TrustedChain & {
  /**
   * Encodes the call with the keeper as distributor, simulates it on the node and estimates its reward and its cost.
   */
  readonly prepare: (distribution: CheckedDistribution) => Promise<Offer>
}

/** A simulated distribution that the keeper can send. */
export type Offer = {
  readonly weight: ProfitEstimate
  /** Estimated gas of the transaction; on TRON, the maximum energy. */
  readonly gas: bigint
  /** Whether the gas is within the maximum for a distribution. More gas indicates a fault. */
  readonly isBounded: boolean
  /** Signs and sends the transaction, and waits a bounded time for its block. */
  readonly send: () => Promise<{ readonly txHash: Hex; readonly isSuccess: boolean }>
}

/** The context of a keeper on one chain. */
export type KeeperContext = {
  /** The account that signs, pays gas and receives the incentive. */
  readonly account: LocalAccount & { readonly sign: (of: { readonly hash: Hex }) => Promise<Hex> }
  readonly chain: TrustedChain & { readonly network: Network }
  readonly rpcUrl: string
  /** Price of the chain's native coin in dollars. */
  readonly coinUsd: number
}

type KeeperDeps = {
  /** The chains by network. */
  readonly chains: ReadonlyMap<string, KeeperChain>
  /** Minimum ratio of reward to cost. */
  readonly margin: number
  readonly log: Logger
  /** Clock in milliseconds, by default the monotonic clock. */
  readonly nowMs?: () => number
}

/** A distribution that the keeper has not executed, and the time before which it is not examined. */
type Pending = { readonly distribution: CheckedDistribution; readonly notBeforeMs: number }

/**
 * Time after which an unprofitable or failed distribution is checked again, because gas prices can fall and competitors
 * can fail.
 */
const RECONSIDER_MS = 30_000
/**
 * Maximum distributions in memory, each a few hundred bytes. The rest is left to other keepers or the next read of the
 * list.
 */
const MAX_PENDING = 10_000

/**
 * Creates a keeper. `hear` receives the changes of the feed, and each `turn` processes one distribution that might be
 * profitable: the due distribution whose last examination is the oldest.
 *
 * Only one distribution is processed at a time, because the transactions of one account must be sequential. The feed is
 * not trusted: the keeper has its own factory and tokens, computes the split from the terms, reads the reward from the
 * chain, and signs only calls that it has encoded itself.
 */
export function createKeeper(deps: KeeperDeps) {
  const { nowMs: readClock = () => performance.now() } = deps
  /** In the order of their last examination. */
  const pending = new Map<string, Pending>()

  return { hear, turn }

  function hear(change: FeedChange): void {
    if (change.type === 'distribution.claimed') {
      pending.delete(distributionKey(change))
      return
    }
    const chain = deps.chains.get(change.distribution.network)
    if (chain === undefined || pending.size >= MAX_PENDING) return
    const distribution = check(change.distribution, chain)
    if (distribution !== null) pending.set(distributionKey(distribution), { distribution, notBeforeMs: 0 })
  }

  function check(offered: unknown, chain: KeeperChain): CheckedDistribution | null {
    try {
      return checkDistribution(offered, chain)
    } catch (error) {
      if (!(error instanceof DistributionRejected)) throw error
      const { network } = chain
      deps.log.warn({ msg: 'Rejected a distribution from the feed', network, reason: error.message })
      return null
    }
  }

  async function turn(): Promise<'more' | 'idle'> {
    const nowMs = readClock()
    for (const [key, { distribution, notBeforeMs }] of pending) {
      if (notBeforeMs > nowMs) continue
      const examined = { distribution, notBeforeMs: nowMs + RECONSIDER_MS }
      pending.delete(key)
      pending.set(key, examined)
      // Another entry means that the feed has offered the distribution again in the meantime, perhaps for later money.
      if ((await take(distribution)) && pending.get(key) === examined) pending.delete(key)
      return 'more'
    }
    return 'idle'
  }

  /** Executes the distribution if it is profitable. Returns whether it needs no further attempt. */
  async function take(distribution: CheckedDistribution): Promise<boolean> {
    const chain = deps.chains.get(distribution.network)
    if (chain === undefined) return true
    try {
      const offer = await chain.prepare(distribution)
      const { rewardUsd, costUsd } = offer.weight
      const fields = { ...toLogFields(distribution), reward_usd: rewardUsd, cost_usd: costUsd }
      if (!offer.isBounded || !isProfitable(offer.weight, deps)) {
        deps.log.info({
          msg: 'Skipped a distribution that is unprofitable or needs too much gas',
          ...fields,
          gas: offer.gas,
        })
        return false
      }
      const { txHash, isSuccess } = await offer.send()
      const sent = { ...fields, tx_hash: presentTransactionHash(txHash, distribution.family) }
      if (isSuccess) deps.log.info({ msg: 'Distributed', ...sent })
      else
        deps.log.warn({
          msg: 'Could not distribute',
          ...sent,
          reason: 'the transaction reverted; another distributor was probably faster',
        })
      return isSuccess
    } catch (error) {
      if (!(error instanceof BaseError)) throw error
      deps.log.warn({ msg: 'Could not distribute', ...toLogFields(distribution), reason: error.shortMessage })
      return false
    }
  }
}

function toLogFields({ splitAddress, family, network, token }: CheckedDistribution) {
  return { split_address: presentAddress(splitAddress, family), network, token }
}
