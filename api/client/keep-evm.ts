import { createWalletClient, custom } from 'viem'
import { erc20Abi } from '../../shared/chain/abi/erc20.ts'
import { paymentSplitAbi } from '../../shared/chain/abi/payment-split.ts'
import { type ChainClient, createChainClient } from '../../shared/chain/client.ts'
import { readDataFee } from '../../shared/chain/data-fee/read-data-fee.ts'
import { waitForReceipt } from '../../shared/chain/wait-for-receipt.ts'
import type { Address } from '../../shared/domain/address.ts'
import { distribute } from '../../shared/domain/allocation.ts'
import { encodeDistribution } from '../../shared/domain/distribution-call.ts'
import { type AtomicUnits, atomic } from '../../shared/domain/money.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import type { CheckedDistribution } from './check-distribution.ts'
import type { Keeping, KeptChain, Offer } from './keep.ts'
import { weighDistribution } from './weigh-distribution.ts'

/** How long a transaction may take to be mined before the keeper goes on without it. */
const RECEIPT_TIMEOUT_MS = 60_000
/** A distribution to 16 recipients takes under 700,000 gas on first deployment, posting apart; beyond this something is wrong. */
const MAX_GAS = 2_000_000n
/** Of the native coin of every EVM network. */
const COIN_DECIMALS = 18

/** Makes what a keeper needs of an EVM chain. */
export function keepEvm({ account, chain, rpcUrl, coinUsd }: Keeping): KeptChain {
  const client = createChainClient({ chainId: chain.chainId, rpcUrls: [rpcUrl] })
  const { model } = REGISTRY[chain.network].dataFee
  return { ...chain, prepare }

  async function prepare(distribution: CheckedDistribution): Promise<Offer> {
    const { split, salt, tokenAddress: token, decimals, factory: to } = distribution
    const distributor = account.address.toLowerCase() as Address
    const data = encodeDistribution({ split, salt, token, distributor })
    const [gas, fees, amount] = await Promise.all([
      client.estimateGas({ account, to, data }),
      client.estimateFeesPerGas(),
      readDistributable(client, distribution),
    ])
    const posting = await readDataFee(client, model, { to, data, gas })
    const { incentive: rewardAtomic } = distribute({ amount, split })
    const costAtomic = gas * fees.maxFeePerGas + posting.besideWei
    return {
      weight: weighDistribution({ rewardAtomic, decimals, costAtomic, coinDecimals: COIN_DECIMALS, coinUsd }),
      gas,
      isBounded: gas <= MAX_GAS + posting.gas,
      send: () => send({ to, data, gas, fees }),
    }
  }

  async function send({ to, data, gas, fees }: Call): ReturnType<Offer['send']> {
    // Sends to the chain that the account was told of, and to no other: the client asks its node once more.
    const wallet = createWalletClient({ account, chain: client.chain, transport: custom(client) })
    // A quarter more gas: holding a payout that fails meanwhile writes two slots.
    const txHash = await wallet.sendTransaction({
      ...{ to, data, value: 0n, gas: (gas * 5n) / 4n },
      maxFeePerGas: fees.maxFeePerGas,
      maxPriorityFeePerGas: fees.maxPriorityFeePerGas,
    })
    const { status } = await waitForReceipt(client, txHash, { timeoutMs: RECEIPT_TIMEOUT_MS })
    return { txHash, isSuccess: status === 'success' }
  }
}

type Call = {
  readonly to: Address
  readonly data: `0x${string}`
  readonly gas: bigint
  readonly fees: { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }
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
