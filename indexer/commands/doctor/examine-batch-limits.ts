import { numberToHex, pad } from 'viem'
import type { ChainClient } from '../../../shared/chain/nodes/client.ts'
import { readBalances } from '../../../shared/chain/tokens/read-balances.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { TRANSFER_TOPIC, toTopic } from '../../../shared/domain/log-topics.ts'
import type { DeploymentConfig } from '../../../shared/runtime/networks-config.ts'
import { findFailure, type Problem } from './finding.ts'

/** Maximum balances that reconciliation and expiry verification read in one call (`readBalances`). */
const BALANCES = 500
/** Maximum charges in one log filter of reconciliation or the feed. */
const FILTERED = 300

/** Returns the problem of a node that cannot read enough balances in one call; `null` if it can. */
export async function examineBalances(
  client: ChainClient,
  { tokens: [token] }: Pick<DeploymentConfig, 'tokens'>,
  block: number,
): Promise<Problem | null> {
  if (token === undefined) return null
  const tokenAddress = token.address
  const places = accounts(BALANCES).map((account) => ({ tokenAddress, account }))
  return findFailure(readBalances(client, { places, block }), (failure) => ({
    found: `cannot read ${BALANCES} balances in one call: ${failure}`,
    remedy: 'raise its gas cap for eth_call to 50 million, or use another node in rpcUrls',
  }))
}

/** Returns the problem of a node that does not accept enough addresses in one log filter; `null` if it does. */
export async function examineAddresses(
  client: ChainClient,
  { tokens: [token] }: Pick<DeploymentConfig, 'tokens'>,
  head: number,
): Promise<Problem | null> {
  if (token === undefined) return null
  const block = numberToHex(head)
  const topics = [TRANSFER_TOPIC, null, accounts(FILTERED).map(toTopic)]
  const query = { fromBlock: block, toBlock: block, address: token.address, topics }
  return findFailure(client.request({ method: 'eth_getLogs', params: [query as never] }), (failure) => ({
    found: `rejects a filter of ${FILTERED} addresses: ${failure}`,
    remedy: `raise its limit on topics in eth_getLogs to ${FILTERED}, or use another node in rpcUrls`,
  }))
}

/** Returns arbitrary addresses, because the queries only test whether the node accepts this many. */
function accounts(count: number): readonly Address[] {
  return Array.from(
    { length: count },
    (_, index) => pad(numberToHex(0x10000 + index), { size: 20 }) as Address,
  )
}
