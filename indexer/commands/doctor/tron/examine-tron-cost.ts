import { formatUnits } from 'viem'
import type { ChainClient } from '../../../../shared/chain/nodes/client.ts'
import { readEnergyPrice, readTronFunds } from '../../../../shared/chain/tron/read-tron.ts'
import type { TronNode } from '../../../../shared/chain/tron/tron-node.ts'
import type { Address } from '../../../../shared/domain/address.ts'
import { presentAddress } from '../../../../shared/domain/chain-families/chain-families.ts'
import type { IndexerDeployment } from '../../../../shared/runtime/indexer-config.ts'
import { missingForPayoutsSun, payoutCostSun } from '../../../relayer/tron/watch-tron-balance.ts'
import { compareCost, type PayerAccounts } from '../examine-cost.ts'
import { createPassedFinding, describeError, type Finding } from '../finding.ts'
import { createFirstTronNode } from './first-tron-node.ts'

const COIN = { symbol: 'TRX', decimals: 6 } as const

/**
 * Compares the cost of a payout, if all its energy is paid in TRX, with the minimum payout and the minimum charge.
 * Compares the funds of each relayer with the cost of `LOW_BALANCE_PAYOUTS` payouts.
 */
export async function examineTronCost(
  client: ChainClient,
  deployment: IndexerDeployment,
  { relayers, coinUsd }: PayerAccounts,
): Promise<readonly Finding[]> {
  const node = createFirstTronNode(client)
  const priceSun = await readEnergyPrice(node).catch(describeError)
  if (typeof priceSun === 'string')
    return [
      {
        subject: 'a payout',
        found: `cost unknown: ${priceSun}`,
        remedy: 'put a node that supports /wallet/getchainparameters first in rpcUrls',
      },
    ]
  const cost = payoutCostSun(priceSun)
  return [
    compareCost(deployment, { cost, coinUsd, ...COIN }),
    ...compareMinimum(deployment, Number(trx(cost)) * coinUsd),
    ...(await Promise.all(
      relayers.map((relayer) => examineRelayer(node, { relayer: relayer as Address, priceSun, deployment })),
    )),
  ]
}

/**
 * Compares the minimum amount of a charge with the cost of its payout, because a confirmed charge is paid out even if
 * its amount is below that cost. Test charges have no minimum. Ignores MINIMUM_CHARGE, which only the API reads.
 */
function compareMinimum(
  { environment, minimumCharge: own, payoutCost }: IndexerDeployment,
  dollars: number,
): readonly Finding[] {
  if (environment === 'test') return []
  const subject = 'a charge'
  const minimumCharge = own ?? payoutCost
  const found = `has a minimum of ${minimumCharge === undefined ? '$0' : `$${minimumCharge}`}; its payout costs at most about $${dollars.toFixed(4)}`
  if (minimumCharge !== undefined && Number(minimumCharge) >= dollars)
    return [createPassedFinding(subject, found)]
  const least = Math.ceil(dollars * 100) / 100
  return [{ subject, found, remedy: `set minimumCharge to "${least}" or more in NETWORKS_CONFIG` }]
}

type Payer = {
  readonly relayer: Address
  readonly priceSun: bigint
  readonly deployment: IndexerDeployment
}

async function examineRelayer(node: TronNode, { relayer, priceSun, deployment }: Payer): Promise<Finding> {
  const subject = `relayer ${presentAddress(relayer, deployment.family)}`
  const funds = await readTronFunds(node, relayer).catch(describeError)
  if (typeof funds === 'string')
    return { subject, found: `not read: ${funds}`, remedy: 'put a responding node first in rpcUrls' }
  const { balanceSun, energy, bandwidth } = funds
  const missing = missingForPayoutsSun(funds, priceSun)
  const found = `${trx(balanceSun)} TRX, ${energy} energy and ${bandwidth} bytes of bandwidth; a payout costs at most ${trx(payoutCostSun(priceSun))} TRX`
  if (missing === 0n) return createPassedFinding(subject, found)
  const remedy = `send it ${trx(missing)} TRX or more, or stake or rent energy and bandwidth for it`
  return { subject, found, remedy }
}

function trx(sun: bigint): string {
  return formatUnits(sun, COIN.decimals)
}
