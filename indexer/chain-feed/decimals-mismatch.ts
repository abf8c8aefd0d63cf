import type { ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { ChainClient } from '../../shared/chain/nodes/client.ts'
import { hasReverted } from '../../shared/chain/nodes/node-errors.ts'
import { queryQuorum } from '../../shared/chain/nodes/query-nodes.ts'
import type { Address } from '../../shared/domain/address.ts'
import type { TokenConfig } from '../../shared/runtime/networks-config.ts'

/** A token whose contract reports decimals that differ from the configuration. */
export type DecimalsMismatch = Pick<TokenConfig, 'token' | 'address' | 'decimals'> & {
  readonly onChain: number
}

/** Function selector of `decimals()`. */
const SELECTOR = '0x313ce567'

/**
 * Finds the enabled tokens whose contracts report decimals that differ from the configuration, according to a quorum of
 * nodes. Wrong decimals would make every credit wrong by powers of ten.
 *
 * If a contract does not report decimals, the configuration applies, because the function is optional in ERC-20.
 *
 * @returns the mismatches, or `null` if the nodes reach no quorum for at least one token
 * @see https://eips.ethereum.org/EIPS/eip-20#decimals
 */
export async function findDecimalsMismatches(
  chain: ChainNodes,
  tokens: readonly TokenConfig[],
): Promise<readonly DecimalsMismatch[] | null> {
  const offered = tokens.filter(({ enabled }) => enabled)
  const verdicts = await Promise.all(offered.map(({ address }) => queryDecimals(chain, address)))
  const others: DecimalsMismatch[] = []
  for (const [index, { token, address, decimals }] of offered.entries()) {
    const verdict = verdicts[index]
    if (verdict?.outcome !== 'agreed') return null
    const onChain = verdict.agreed.value ?? decimals
    if (onChain !== decimals) others.push({ token, address, decimals, onChain })
  }
  return others
}

function queryDecimals(chain: ChainNodes, address: Address) {
  return queryQuorum(chain, { read: ({ client }) => readDecimals(client, address), toText: String })
}

/** Returns `null` if the contract reverts or does not return exactly 32 bytes. */
async function readDecimals(client: ChainClient, address: Address): Promise<number | null> {
  try {
    const { data } = await client.call({ to: address, data: SELECTOR })
    return data?.length === 66 ? Number(data) : null
  } catch (error) {
    if (hasReverted(error)) return null
    throw error
  }
}
