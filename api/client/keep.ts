import { BaseError, type LocalAccount } from 'viem'
import type { Hex } from '../../shared/domain/address.ts'
import { presentAddress, presentTransactionHash } from '../../shared/domain/families/families.ts'
import type { Network } from '../../shared/domain/networks.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import {
  type CheckedDistribution,
  checkDistribution,
  DistributionRefused,
  type KnownChain,
} from './check-distribution.ts'
import { distributionKey, type FeedChange } from './distribution-feed.ts'
import { isWorthIt, type Weight } from './weigh-distribution.ts'

/** A chain that a keeper works on, by his own node, whose chain id and contracts were looked at. */
export type KeptChain = KnownChain & {
  /** Encodes the call with the keeper as distributor, tries it on the node, and weighs it by what the split holds there. */
  readonly prepare: (distribution: CheckedDistribution) => Promise<Offer>
}

/** A distribution that the keeper could make. */
export type Offer = {
  readonly weight: Weight
  /** On TRON: energy. */
  readonly gas: bigint
  /** False if it takes more than any distribution does: something is wrong. */
  readonly isBounded: boolean
  /** Signs, sends and waits a bounded time for a block. */
  readonly send: () => Promise<{ readonly txHash: Hex; readonly isSuccess: boolean }>
}

/** What a keeper works with on one chain. */
export type Keeping = {
  /** Who signs, pays and gets the incentive; of a private key, which signs hashes, too. */
  readonly account: LocalAccount & { readonly sign: (of: { readonly hash: Hex }) => Promise<Hex> }
  readonly chain: KnownChain & { readonly network: Network }
  readonly rpcUrl: string
  /** The price of the chain's native coin, in dollars. */
  readonly coinUsd: number
}

type KeeperDeps = {
  /** By network. */
  readonly chains: ReadonlyMap<string, KeptChain>
  /** How many times its gas a reward must be. */
  readonly margin: number
  readonly log: Logger
}

/** What does not pay, or fails, is weighed again: gas gets cheaper, and rivals lose their races too. */
const RECONSIDER_MS = 30_000
/** Of a few hundred bytes each; beyond, what comes is left to others, or to the next reading of the list. */
const MAX_PENDING = 10_000

/**
 * Makes a keeper: it hears the feed's changes, and each turn takes one distribution that may be worth its gas.
 *
 * One at a time: one account's transactions wait for each other anyway. It trusts the feed with nothing: factory and
 * tokens are those it knows, the split is the one that the terms make, the reward is read from the chain, and what it
 * signs it has encoded itself.
 */
export function createKeeper(deps: KeeperDeps) {
  const pending = new Map<string, { readonly distribution: CheckedDistribution; notBeforeMs: number }>()

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

  function check(offered: unknown, chain: KeptChain): CheckedDistribution | null {
    try {
      return checkDistribution(offered, chain)
    } catch (error) {
      if (!(error instanceof DistributionRefused)) throw error
      const { network } = chain
      deps.log.warn({ msg: 'Refused what the feed offers', network, reason: error.message })
      return null
    }
  }

  async function turn(): Promise<'more' | 'idle'> {
    const nowMs = performance.now()
    for (const [key, entry] of pending) {
      if (entry.notBeforeMs > nowMs) continue
      entry.notBeforeMs = nowMs + RECONSIDER_MS
      if (await take(entry.distribution)) pending.delete(key)
      return 'more'
    }
    return 'idle'
  }

  /** Answers whether there is nothing left to take. */
  async function take(distribution: CheckedDistribution): Promise<boolean> {
    const chain = deps.chains.get(distribution.network)
    if (chain === undefined) return true
    try {
      const offer = await chain.prepare(distribution)
      const { rewardUsd, costUsd } = offer.weight
      const fields = { ...fieldsOf(distribution), reward_usd: rewardUsd, cost_usd: costUsd }
      if (!offer.isBounded || !isWorthIt(offer.weight, deps)) {
        deps.log.info({ msg: 'Left a distribution that does not pay', ...fields, gas: offer.gas })
        return false
      }
      const { txHash, isSuccess } = await offer.send()
      const sent = { ...fields, tx_hash: presentTransactionHash(txHash, distribution.family) }
      if (isSuccess) deps.log.info({ msg: 'Distributed', ...sent })
      else deps.log.warn({ msg: 'Could not distribute', ...sent, reason: 'it reverted: who was faster?' })
      return isSuccess
    } catch (error) {
      if (!(error instanceof BaseError)) throw error
      deps.log.warn({ msg: 'Could not distribute', ...fieldsOf(distribution), reason: error.shortMessage })
      return false
    }
  }
}

function fieldsOf({ splitAddress, family, network, token }: CheckedDistribution) {
  return { split_address: presentAddress(splitAddress, family), network, token }
}
