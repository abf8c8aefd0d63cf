import type { Address } from '../../../domain/address.ts'
import type { Token } from '../../../domain/networks.ts'
import type { Db } from '../../connect.ts'

type DoctorFacts = {
  readonly pausedTokens: readonly Token[]
  /** Accounts that pay gas for payouts. */
  readonly relayers: readonly Address[]
  /** Accounts that pay gas for the payers' authorizations. */
  readonly authorizers: readonly Address[]
  /** Accounts that daemons used before, but that no daemon is configured with now. */
  readonly retired: readonly Address[]
}

/**
 * Reads a chain's tokens that an operator has paused, and our accounts that pay gas.
 *
 * An account counts as configured if a daemon recorded it within the ten minutes before the last record, so the result
 * is the same while the daemons are stopped. If no account was recorded, all accounts in `relayers` count as
 * configured.
 */
export async function readDoctorFacts(db: Db, chainId: number): Promise<DoctorFacts> {
  const [row] = await db<DoctorFacts[]>`
    with recorded as (
      select purpose, address, seen_at < max(seen_at) over () - interval '10 minutes' as is_old
      from paying_accounts where chain_id = ${chainId}),
    known as (
      select purpose, address from recorded where not is_old
      union all
      select case when exists (select from authorizations a where a.chain_id = r.chain_id and a.relayer = r.address)
             then 'signatures' else 'payouts' end, r.address
      from relayers r where r.chain_id = ${chainId} and not exists (select from recorded)),
    past as (
      select address from recorded union select address from relayers where chain_id = ${chainId})
    select array(select token from pairs where chain_id = ${chainId} and paused_at is not null order by token)
        as paused_tokens,
      array(select address from known where purpose = 'payouts' order by address) as relayers,
      array(select address from known where purpose = 'signatures' order by address) as authorizers,
      array(select address from past except select address from known order by address) as retired`
  return row ?? { pausedTokens: [], relayers: [], authorizers: [], retired: [] }
}
