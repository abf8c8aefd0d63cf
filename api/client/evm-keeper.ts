import { erc20Abi } from 'viem'
import { paymentSplitAbi } from '../../shared/chain/abi/payment-split.ts'
import { readDataFee } from '../../shared/chain/data-fee/read-data-fee.ts'
import { type ChainClient, createChainClient } from '../../shared/chain/nodes/client.ts'
import { type BoundedCall, sendSigned } from '../../shared/chain/nodes/send-signed.ts'
import { waitForReceipt } from '../../shared/chain/nodes/wait-for-receipt.ts'
import type { Address } from '../../shared/domain/address.ts'
import { distribute } from '../../shared/domain/allocation.ts'
import { encodeDistribution } from '../../shared/domain/distribution-call.ts'
import { MAX_GAS } from '../../shared/domain/gas-bounds.ts'
import { type AtomicUnits, atomic } from '../../shared/domain/money.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import type { CheckedDistribution } from './check-distribution.ts'
import type { KeeperChain, KeeperContext, Offer } from './create-keeper.ts'
import { estimateProfit } from './estimate-profit.ts'

/** Maximum wait for a receipt; the keeper then logs a failure and continues. */
const RECEIPT_TIMEOUT_MS = 60_000
/** Decimals of the native coin of every EVM network. */
const COIN_DECIMALS = 18

export function createEvmKeeper({ account, chain, rpcUrl, coinUsd }: KeeperContext): KeeperChain {
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
      weight: estimateProfit({ rewardAtomic, decimals, costAtomic, coinDecimals: COIN_DECIMALS, coinUsd }),
      gas,
      isBounded: gas <= MAX_GAS + posting.gas,
      send: () => send({ to, data, gas, fees }),
    }
  }

  async function send(call: BoundedCall): ReturnType<Offer['send']> {
    // 25 % more gas, because a payout that fails in the meantime is held, which writes two storage slots.
    const txHash = await sendSigned(client, account, { ...call, gas: (call.gas * 5n) / 4n })
    const { status } = await waitForReceipt(client, txHash, { timeoutMs: RECEIPT_TIMEOUT_MS })
    return { txHash, isSuccess: status === 'success' }
  }
}

/** Returns the balance of the split minus the amounts that it holds for recipients. */
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
