import { formatUnits } from 'viem'
import type { ChainNodes } from '../../../shared/chain/nodes/chain-nodes.ts'
import type { ChainClient } from '../../../shared/chain/nodes/client.ts'
import { createNodeHealth } from '../../../shared/chain/nodes/node-health.ts'
import { formatMicro } from '../../../shared/domain/money.ts'
import { REGISTRY } from '../../../shared/domain/network-registry.ts'
import type { IndexerDeployment } from '../../../shared/runtime/indexer-config.ts'
import { readAuthorizationCost } from '../../relayer/authorization-cost.ts'
import { LOW_BALANCE_PAYOUTS, readPayoutCost } from '../../relayer/payout-cost.ts'
import { createPassedFinding, describeError, type Finding } from './finding.ts'

/** The accounts that pay for transactions on a chain, and the price of the chain's coin in dollars. */
export type PayerAccounts = {
  readonly relayers: readonly `0x${string}`[]
  /** Accounts that pay the gas for payments by signature. */
  readonly authorizers: readonly `0x${string}`[]
  readonly coinUsd: number
}

/**
 * Compares the current cost of a payout with the minimum payout. Compares the balance of each of our accounts with the
 * cost of `LOW_BALANCE_PAYOUTS` payouts, or the same number of payments by signature.
 */
export async function examineCost(
  client: ChainClient,
  deployment: IndexerDeployment,
  { relayers, authorizers, coinUsd }: PayerAccounts,
): Promise<readonly Finding[]> {
  const { gas, live } = REGISTRY[deployment.network]
  if (gas === null) return [createPassedFinding('a payout', 'not estimated: the network has no gas price')]
  const cost = await readPayoutCost(asNodes(client), deployment).catch(describeError)
  if (typeof cost === 'string')
    return [
      {
        subject: 'a payout',
        found: `cost unknown: ${cost}`,
        remedy:
          'add to rpcUrls a node that supports eth_maxPriorityFeePerGas and, on an L2, returns the data fee',
      },
    ]
  const { symbol } = live.nativeCurrency
  const examine = (account: `0x${string}`, paid: Paid) => examineAccount(client, { account, symbol, ...paid })
  const signature = { name: 'account for signatures', what: 'a payment by signature' }
  return [
    compareCost(deployment, { cost, coinUsd, symbol, decimals: 18 }),
    ...(await Promise.all(
      relayers.map((relayer) => examine(relayer, { name: 'relayer', what: 'a payout', cost })),
    )),
    ...(await Promise.all(
      authorizers.map(async (account) =>
        examine(account, { ...signature, cost: await readAuthorizationCost(asNodes(client), deployment) }),
      ),
    )),
  ]
}

/** Presents the client, which tries the usable nodes in turn, as a single node. */
function asNodes(client: ChainClient): ChainNodes {
  const [url = ''] = client.chain.rpcUrls.default.http
  const node = { url, client, name: 'the nodes', operator: 'the nodes' }
  const group = { quorum: 1, getTrusted: () => null, health: createNodeHealth() }
  return { ...group, chainId: client.chain.id, nodes: [node] }
}

/** The name of an account, an operation that it pays for, such as a payout, and the operation's maximum cost in wei. */
type Paid = { readonly name: string; readonly what: string; readonly cost: bigint }

type PayoutCost = Pick<PayerAccounts, 'coinUsd'> & {
  /** Maximum cost of a payout, in the smallest unit of the coin. */
  readonly cost: bigint
  readonly symbol: string
  readonly decimals: number
}

/** Compares the maximum cost of a payout with the minimum payout. */
export function compareCost(
  { minimumPayoutMicro }: IndexerDeployment,
  { cost, coinUsd, symbol, decimals }: PayoutCost,
): Finding {
  const dollars = Number(formatUnits(cost, decimals)) * coinUsd
  const minimum = formatMicro(minimumPayoutMicro)
  const subject = 'a payout'
  const found = `costs at most ${formatUnits(cost, decimals)} ${symbol}, about $${dollars.toFixed(4)} at $${coinUsd} per ${symbol}; the minimum payout is $${minimum}`
  return dollars <= Number(minimum)
    ? createPassedFinding(subject, found)
    : {
        subject,
        found,
        remedy: `set minimumPayout to "${Math.ceil(dollars * 100) / 100}" or more in NETWORKS_CONFIG, or wait for lower fees`,
      }
}

async function examineAccount(
  client: ChainClient,
  { account, name, what, cost, symbol }: Paid & { readonly account: `0x${string}`; readonly symbol: string },
): Promise<Finding> {
  const subject = `${name} ${account}`
  const balance = await client.getBalance({ address: account })
  const found = `${formatUnits(balance, 18)} ${symbol}; ${what} costs at most ${formatUnits(cost, 18)} ${symbol}`
  if (balance >= LOW_BALANCE_PAYOUTS * cost) return createPassedFinding(subject, found)
  return {
    subject,
    found,
    remedy: `send it ${formatUnits(LOW_BALANCE_PAYOUTS * cost - balance, 18)} ${symbol} or more`,
  }
}
