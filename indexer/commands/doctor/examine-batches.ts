import { numberToHex, pad, type Address as ViemAddress } from 'viem'
import type { ChainClient } from '../../../shared/chain/client.ts'
import { readBalances } from '../../../shared/chain/read-balances.ts'
import type { Address } from '../../../shared/domain/address.ts'
import type { DeploymentConfig } from '../../../shared/runtime/networks-config.ts'
import { addressTopic, TRANSFER_TOPIC } from '../../transport/log-filter.ts'
import { type Finding, reasonOf } from './finding.ts'

/** Balances that reconciliation and evidence read with one call (`readBalances`). */
const BALANCES = 500
/** Addresses that reconciliation and the feed name in one filter. */
const FILTERED = 300

type Problem = Omit<Finding, 'subject'>

/** Answers what a node does not take at once of what it will be asked at once: many balances, many addresses. */
export async function examineBatches(
  client: ChainClient,
  { tokens }: Pick<DeploymentConfig, 'tokens'>,
  head: number,
): Promise<readonly (Problem | null)[]> {
  const [token] = tokens
  if (token === undefined) return []
  return Promise.all([balancesOf(client, token.address, head), addressesOf(client, token.address, head)])
}

async function balancesOf(
  client: ChainClient,
  tokenAddress: Address,
  block: number,
): Promise<Problem | null> {
  const places = accounts(BALANCES).map((account) => ({ tokenAddress, account }))
  const failure = await readBalances(client, { places, block }).then(() => null, reasonOf)
  return failure === null
    ? null
    : {
        found: `reads no ${BALANCES} balances in one call: ${failure}`,
        mend: 'raise its gas cap of eth_call to 50 million, or name another in rpcUrls',
      }
}

async function addressesOf(client: ChainClient, token: ViemAddress, head: number): Promise<Problem | null> {
  const block = numberToHex(head)
  const topics = [TRANSFER_TOPIC, null, accounts(FILTERED).map(addressTopic)]
  const query = { fromBlock: block, toBlock: block, address: token, topics }
  const failure = await client
    .request({ method: 'eth_getLogs', params: [query as never] })
    .then(() => null, reasonOf)
  return failure === null
    ? null
    : {
        found: `takes no filter of ${FILTERED} addresses: ${failure}`,
        mend: `raise its limit of topics in eth_getLogs to ${FILTERED}, or name another in rpcUrls`,
      }
}

/** Nobody's: what is asked is whether it answers at all. */
function accounts(count: number): readonly Address[] {
  return Array.from(
    { length: count },
    (_, index) => pad(numberToHex(0x10000 + index), { size: 20 }) as Address,
  )
}
