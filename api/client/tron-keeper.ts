import { encodeFunctionData, erc20Abi } from 'viem'
import { CREATE_AND_DISTRIBUTE } from '../../shared/chain/abi/create-and-distribute.ts'
import { paymentSplitAbi } from '../../shared/chain/abi/payment-split.ts'
import { readEnergyPrice } from '../../shared/chain/tron/read-tron.ts'
import { readTronUint } from '../../shared/chain/tron/read-tron-uint.ts'
import { sendTron } from '../../shared/chain/tron/send-tron.ts'
import { simulateTron } from '../../shared/chain/tron/simulate-tron.ts'
import { createTronNodes, type TronNode, TronNodeError } from '../../shared/chain/tron/tron-node.ts'
import type { Address, Hex } from '../../shared/domain/address.ts'
import { distribute } from '../../shared/domain/allocation.ts'
import { bandwidthFeeSun, bandwidthOfCall } from '../../shared/domain/chain-families/tron/bandwidth.ts'
import { getDistributionFeeLimitSun } from '../../shared/domain/chain-families/tron/distribution-fee-limit.ts'
import { encodeTronCall } from '../../shared/domain/chain-families/tron/raw-transaction.ts'
import { encodeDistribution } from '../../shared/domain/distribution-call.ts'
import { type AtomicUnits, atomic } from '../../shared/domain/money.ts'
import type { CheckedDistribution } from './check-distribution.ts'
import type { KeeperChain, KeeperContext, Offer } from './create-keeper.ts'
import { estimateProfit } from './estimate-profit.ts'

/** Decimals of TRX: 1 TRX is 1,000,000 sun. */
const COIN_DECIMALS = 6

/**
 * Creates the keeper of TRON. The keeper simulates exactly the call that it sends. It skips a distribution whose fee
 * limit exceeds the maximum of any distribution, so the feed and the node cannot make it burn more.
 *
 * All energy is priced in TRX. A keeper that has staked for energy should set a lower coin price.
 */
export function createTronKeeper({ account, chain, rpcUrl, coinUsd }: KeeperContext): KeeperChain {
  const nodes = createTronNodes({ chainId: chain.chainId, rpcUrls: [rpcUrl] })
  const [node] = nodes as [TronNode]
  const self = account.address.toLowerCase() as Address
  return { ...chain, prepare }

  async function prepare(distribution: CheckedDistribution): Promise<Offer> {
    const { split, salt, tokenAddress: token, decimals, factory: to } = distribution
    const data = encodeDistribution({ split, salt, token, distributor: self })
    const [{ gas, likelyEnergy }, sunPerEnergy, amount] = await Promise.all([
      simulateTron(node, { to, data, account: self }, CREATE_AND_DISTRIBUTE),
      readEnergyPrice(node),
      readDistributable(distribution),
    ])
    const { incentive: rewardAtomic } = distribute({ amount, split })
    const costAtomic =
      likelyEnergy * sunPerEnergy + bandwidthFeeSun(bandwidthOfCall({ owner: self, to, data }), 0n)
    const feeLimitSun = gas * sunPerEnergy
    return {
      weight: estimateProfit({ rewardAtomic, decimals, costAtomic, coinDecimals: COIN_DECIMALS, coinUsd }),
      gas,
      // A call that ends with the INVALID opcode burns its whole fee limit.
      isBounded: feeLimitSun <= getDistributionFeeLimitSun({ recipients: split.recipients.length }),
      send: () => send({ to, data, feeLimitSun }),
    }
  }

  /** Returns the balance of the split minus the amounts that it holds for recipients. */
  async function readDistributable({
    splitAddress,
    tokenAddress,
  }: CheckedDistribution): Promise<AtomicUnits> {
    const own = encodeFunctionData({ ...DISTRIBUTABLE, args: [tokenAddress] })
    const balance = encodeFunctionData({ ...BALANCE_OF, args: [splitAddress] })
    const amount =
      (await readTronUint(node, { to: splitAddress, data: own, account: self })) ??
      (await readTronUint(node, { to: tokenAddress, data: balance, account: self }))
    if (amount === null) throw new TronNodeError(node, 'does not know the token')
    return atomic(amount)
  }

  async function send({ to, data, feeLimitSun }: TronCall): ReturnType<Offer['send']> {
    const { txHash, isSuccess } = await sendTron(nodes, {
      ...{ signer: account, feeLimitSun },
      encode: (frame) => encodeTronCall({ ...frame, to, data, valueSun: 0n }),
    })
    return { txHash, isSuccess }
  }
}

type TronCall = { readonly to: Address; readonly data: Hex; readonly feeLimitSun: bigint }

const DISTRIBUTABLE = { abi: paymentSplitAbi, functionName: 'distributable' } as const
const BALANCE_OF = { abi: erc20Abi, functionName: 'balanceOf' } as const
