import { type Account, BaseError, createWalletClient, custom } from 'viem'
import { erc20Abi } from '../../shared/chain/abi/erc20.ts'
import type { ChainClient } from '../../shared/chain/client.ts'
import { waitForReceipt } from '../../shared/chain/wait-for-receipt.ts'
import { type Address, type Hex, parseEvmAddress } from '../../shared/domain/address.ts'
import { withDistributor } from '../../shared/domain/distribution-call.ts'
import { invariant } from '../../shared/domain/errors.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { type Distribution, distributionKey, type FeedChange } from './distribution-feed.ts'
import { isWorthIt, type Weight, weighDistribution } from './weigh-distribution.ts'

/** A chain that a keeper works on. */
export type KeptChain = {
  readonly client: ChainClient
  /** The price of its native coin, in dollars. */
  readonly coinUsd: number
}

type KeeperDeps = {
  readonly account: Account
  readonly chains: ReadonlyMap<string, KeptChain>
  /** How many times its gas a reward must be. */
  readonly margin: number
  readonly log: Logger
}

/** How long a transaction may take to be mined before the keeper goes on without it. */
const RECEIPT_TIMEOUT_MS = 60_000
/** What does not pay, or fails, is weighed again: gas gets cheaper, and rivals lose their races too. */
const RECONSIDER_MS = 30_000

/**
 * Makes a keeper: it hears the feed's changes, and each turn takes one distribution that may be worth its gas.
 *
 * One at a time: one account's transactions wait for each other anyway. It trusts the feed with nothing: the call is
 * simulated, the reward read from the chain.
 */
export function createKeeper(deps: KeeperDeps) {
  const pending = new Map<string, { readonly distribution: Distribution; notBeforeMs: number }>()
  const self = parseEvmAddress(deps.account.address)
  invariant(self !== null, `${deps.account.address} is no address`)

  return { hear, turn }

  function hear(change: FeedChange): void {
    if (change.type === 'distribution.claimed') {
      pending.delete(distributionKey(change))
    } else if (deps.chains.has(change.distribution.network)) {
      const { distribution } = change
      pending.set(distributionKey(distribution), { distribution, notBeforeMs: 0 })
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
  async function take(distribution: Distribution): Promise<boolean> {
    const chain = deps.chains.get(distribution.network)
    if (chain === undefined) return true
    try {
      const data = withDistributor(distribution.call.data, self as Address)
      const gas = await chain.client.estimateGas({ account: deps.account, to: distribution.call.to, data })
      const weight = await weigh(chain, distribution, gas)
      const fields = { ...fieldsOf(distribution), reward_usd: weight.rewardUsd, cost_usd: weight.costUsd }
      if (!isWorthIt(weight, deps)) {
        deps.log.info({ msg: 'Left a distribution that does not pay', ...fields })
        return false
      }
      const txHash = await send(chain, { to: distribution.call.to, data, gas })
      deps.log.info({ msg: 'Distributed', ...fields, tx_hash: txHash })
      return txHash !== null
    } catch (error) {
      if (!(error instanceof BaseError)) throw error
      deps.log.warn({ msg: 'Could not distribute', ...fieldsOf(distribution), reason: error.shortMessage })
      return false
    }
  }

  async function send(
    { client }: KeptChain,
    call: { readonly to: Hex; readonly data: Hex; readonly gas: bigint },
  ): Promise<Hex | null> {
    const wallet = createWalletClient({
      account: deps.account,
      chain: client.chain,
      transport: custom(client),
    })
    // A quarter more: holding a payout that fails meanwhile writes two slots.
    const hash = await wallet.sendTransaction({ ...call, gas: (call.gas * 5n) / 4n })
    const { status } = await waitForReceipt(client, hash, { timeoutMs: RECEIPT_TIMEOUT_MS })
    return status === 'success' ? hash : null
  }
}

/** By the live balance, not by the feed's estimate: a part may be gone, or held for a recipient and not for sale. */
async function weigh(
  { client, coinUsd }: KeptChain,
  distribution: Distribution,
  gas: bigint,
): Promise<Weight> {
  const token = { address: distribution.tokenAddress, abi: erc20Abi } as const
  const [chainId, balanceAtomic, decimals, gasPriceWei] = await Promise.all([
    client.getChainId(),
    client.readContract({ ...token, functionName: 'balanceOf', args: [distribution.splitAddress] }),
    client.readContract({ ...token, functionName: 'decimals' }),
    client.getGasPrice(),
  ])
  if (chainId !== distribution.chainId) return { rewardUsd: 0, costUsd: 0 }
  const { distributorFeePercent } = distribution
  return weighDistribution({ balanceAtomic, decimals, distributorFeePercent, gas, gasPriceWei, coinUsd })
}

function fieldsOf({ splitAddress, network, token }: Distribution) {
  return { split_address: splitAddress, network, token }
}
