import { type Account, BaseError, createWalletClient, custom } from 'viem'
import { erc20Abi } from '../../shared/chain/abi/erc20.ts'
import { paymentSplitAbi } from '../../shared/chain/abi/payment-split.ts'
import type { ChainClient } from '../../shared/chain/client.ts'
import { readDataFee } from '../../shared/chain/data-fee/read-data-fee.ts'
import { waitForReceipt } from '../../shared/chain/wait-for-receipt.ts'
import { type Address, type Hex, parseEvmAddress } from '../../shared/domain/address.ts'
import { distribute } from '../../shared/domain/allocation.ts'
import { encodeDistribution } from '../../shared/domain/distribution-call.ts'
import { invariant } from '../../shared/domain/errors.ts'
import { type AtomicUnits, atomic } from '../../shared/domain/money.ts'
import type { DataFeeModel } from '../../shared/domain/networks.ts'
import { SPLIT_FACTORY } from '../../shared/domain/split-address.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import {
  type CheckedDistribution,
  checkDistribution,
  DistributionRefused,
  type KnownChain,
} from './check-distribution.ts'
import { distributionKey, type FeedChange } from './distribution-feed.ts'
import { isWorthIt, weighDistribution } from './weigh-distribution.ts'

/** A chain that a keeper works on, by his own node, whose chain id was compared with the registry's. */
export type KeptChain = Pick<KnownChain, 'tokens'> & {
  readonly client: ChainClient
  /** The price of its native coin, in dollars. */
  readonly coinUsd: number
  /** How it charges for posting a transaction to the chain below. */
  readonly dataFeeModel: DataFeeModel
}

type KeeperDeps = {
  readonly account: Account
  /** By network. */
  readonly chains: ReadonlyMap<string, KeptChain>
  /** How many times its gas a reward must be. */
  readonly margin: number
  readonly log: Logger
}

/** How long a transaction may take to be mined before the keeper goes on without it. */
const RECEIPT_TIMEOUT_MS = 60_000
/** What does not pay, or fails, is weighed again: gas gets cheaper, and rivals lose their races too. */
const RECONSIDER_MS = 30_000
/** Of a few hundred bytes each; beyond, what comes is left to others, or to the next reading of the list. */
const MAX_PENDING = 10_000
/** A distribution to 16 recipients takes under 700,000 gas on first deployment, posting apart; beyond this something is wrong. */
const MAX_GAS = 2_000_000n

/**
 * Makes a keeper: it hears the feed's changes, and each turn takes one distribution that may be worth its gas.
 *
 * One at a time: one account's transactions wait for each other anyway. It trusts the feed with nothing: factory and
 * tokens are those it knows, the split is the one that the terms make, the reward is read from the chain, and what it
 * signs it has encoded itself.
 */
export function createKeeper(deps: KeeperDeps) {
  const pending = new Map<string, { readonly distribution: CheckedDistribution; notBeforeMs: number }>()
  const self = parseEvmAddress(deps.account.address)
  invariant(self !== null, `${deps.account.address} is no address`)

  return { hear, turn }

  function hear(change: FeedChange): void {
    if (change.type === 'distribution.claimed') {
      pending.delete(distributionKey(change))
      return
    }
    const { network } = change.distribution
    const chain = deps.chains.get(network)
    if (chain === undefined || pending.size >= MAX_PENDING) return
    const distribution = check(change.distribution, { network, chain })
    if (distribution !== null) pending.set(distributionKey(distribution), { distribution, notBeforeMs: 0 })
  }

  function check(offered: unknown, { network, chain }: { network: string; chain: KeptChain }) {
    const { client, tokens } = chain
    try {
      return checkDistribution(offered, { network, chainId: client.chain.id, tokens })
    } catch (error) {
      if (!(error instanceof DistributionRefused)) throw error
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
      const offer = await prepare(chain, distribution)
      const { rewardUsd, costUsd } = offer.weight
      const fields = { ...fieldsOf(distribution), reward_usd: rewardUsd, cost_usd: costUsd }
      if (offer.gas > offer.mostGas || !isWorthIt(offer.weight, deps)) {
        deps.log.info({ msg: 'Left a distribution that does not pay', ...fields, gas: offer.gas })
        return false
      }
      const txHash = await send(chain, offer)
      deps.log.info({ msg: 'Distributed', ...fields, tx_hash: txHash })
      return txHash !== null
    } catch (error) {
      if (!(error instanceof BaseError)) throw error
      deps.log.warn({ msg: 'Could not distribute', ...fieldsOf(distribution), reason: error.shortMessage })
      return false
    }
  }

  /** Encodes the call with ourselves as distributor, and weighs it at the fees that it will be signed with. */
  async function prepare({ client, coinUsd, dataFeeModel }: KeptChain, distribution: CheckedDistribution) {
    const { split, salt, tokenAddress: token, decimals } = distribution
    const data = encodeDistribution({ split, salt, token, distributor: self as Address })
    const [gas, fees, amount] = await Promise.all([
      client.estimateGas({ account: deps.account, to: SPLIT_FACTORY, data }),
      client.estimateFeesPerGas(),
      readDistributable(client, distribution),
    ])
    const posting = await readDataFee(client, dataFeeModel, { to: SPLIT_FACTORY, data, gas })
    const { incentive: rewardAtomic } = distribute({ amount, split })
    const costWei = gas * fees.maxFeePerGas + posting.besideWei
    const weight = weighDistribution({ rewardAtomic, decimals, costWei, coinUsd })
    return { data, gas, fees, weight, mostGas: MAX_GAS + posting.gas }
  }

  async function send(
    { client }: KeptChain,
    offer: Awaited<ReturnType<typeof prepare>>,
  ): Promise<Hex | null> {
    // Sends to the chain that the account was told of, and to no other: the client asks its node once more.
    const wallet = createWalletClient({
      account: deps.account,
      chain: client.chain,
      transport: custom(client),
    })
    // A quarter more gas: holding a payout that fails meanwhile writes two slots.
    const hash = await wallet.sendTransaction({
      ...{ to: SPLIT_FACTORY, data: offer.data, value: 0n, gas: (offer.gas * 5n) / 4n },
      maxFeePerGas: offer.fees.maxFeePerGas,
      maxPriorityFeePerGas: offer.fees.maxPriorityFeePerGas,
    })
    const { status } = await waitForReceipt(client, hash, { timeoutMs: RECEIPT_TIMEOUT_MS })
    return status === 'success' ? hash : null
  }
}

/** What there is to distribute: the balance, but for what a split that is there holds for a recipient. */
async function readDistributable(
  client: ChainClient,
  { splitAddress, tokenAddress }: CheckedDistribution,
): Promise<AtomicUnits> {
  const code = await client.getCode({ address: splitAddress })
  const amount =
    code === undefined
      ? await client.readContract({
          ...{ address: tokenAddress, abi: erc20Abi },
          ...{ functionName: 'balanceOf', args: [splitAddress] },
        })
      : await client.readContract({
          ...{ address: splitAddress, abi: paymentSplitAbi },
          ...{ functionName: 'distributable', args: [tokenAddress] },
        })
  return atomic(amount)
}

function fieldsOf({ splitAddress, network, token }: CheckedDistribution) {
  return { split_address: splitAddress, network, token }
}
