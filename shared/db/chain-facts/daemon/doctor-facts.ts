import type { Address } from '../../../domain/address.ts'
import type { Token } from '../../../domain/networks.ts'
import type { Db } from '../../connect.ts'

type DoctorFacts = {
  readonly pausedTokens: readonly Token[]
  /** Accounts that pay gas for payouts. */
  readonly relayers: readonly Address[]
  /** Accounts that pay gas for the payers' authorizations. */
  readonly authorizers: readonly Address[]
}

/** Reads a chain's tokens that an operator has paused, and our accounts that have sent transactions on the chain. */
export async function readDoctorFacts(db: Db, chainId: number): Promise<DoctorFacts> {
  const [row] = await db<DoctorFacts[]>`
    with known as (
      select r.address, exists (
        select from authorizations a where a.chain_id = r.chain_id and a.relayer = r.address) as authorizes
      from relayers r where r.chain_id = ${chainId})
    select array(select token from pairs where chain_id = ${chainId} and paused_at is not null order by token)
        as paused_tokens,
      array(select address from known where not authorizes order by address) as relayers,
      array(select address from known where authorizes order by address) as authorizers`
  return row ?? { pausedTokens: [], relayers: [], authorizers: [] }
}
