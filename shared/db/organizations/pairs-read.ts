import type { Address } from '../../domain/address.ts'
import { type Environment, type Pair, type PairContract } from '../../domain/networks.ts'
import type { Db } from '../connect.ts'

/**
 * Lists the pairs that a charge of this environment can accept now: enabled, not paused, with verified contracts.
 *
 * @see decisions 2.3
 */
export async function listAcceptablePairs(db: Db, environment: Environment): Promise<readonly Pair[]> {
  return await db<Pair[]>`
    select p.token, p.network
    from pairs p
    join deployments d on d.chain_id = p.chain_id
    where p.environment = ${environment} and p.enabled and p.paused_at is null and d.contracts_match
    order by p.network, p.token`
}

/**
 * Finds the contract of a pair, which is promised to every charge that accepts the pair; `null` if the pair was never
 * watched.
 */
export async function findPairContract(
  db: Db,
  { token, network, environment }: Pair & { readonly environment: Environment },
): Promise<PairContract | null> {
  const [contract] = await db<PairContract[]>`
    select chain_id, token_address, decimals from pairs
    where token = ${token} and network = ${network} and environment = ${environment}`
  return contract ?? null
}

/** Lists the addresses of all token contracts that were ever watched on a chain. */
export async function listTokenAddresses(db: Db, chainId: number): Promise<readonly Address[]> {
  const rows = await db<{ tokenAddress: Address }[]>`
    select token_address from pairs where chain_id = ${chainId}`
  return rows.map(({ tokenAddress }) => tokenAddress)
}
