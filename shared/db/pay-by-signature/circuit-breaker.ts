import type { Fragment } from 'postgres'
import type { Db } from '../connect.ts'

/**
 * A circuit breaker opens after this many reverts within this time, if they are at least half of the authorizations
 * that ended. Each revert costs us gas.
 *
 * A breaker covers one organization on one chain, so that no organization can block another. Authorizations signed by
 * payers' keys and those approved by payers' contracts have separate breakers: a stranger can deploy contracts that
 * revert, and would otherwise disable payments by signature for a merchant.
 */
const BREAKER = { within: '1 hour', reverts: 5 }

/** Whether the breaker of one kind of authorizations is open, as SQL. */
export function isBroken(
  db: Db,
  of: {
    readonly organizationId: Fragment
    readonly chainId: Fragment
    readonly areSignedByKeys: boolean
  },
) {
  return db`
    (select count(*) filter (where a.status = 'reverted') >= ${BREAKER.reverts}
        and count(*) filter (where a.status = 'reverted') * 2 >= count(*)
     from authorizations a
     where a.organization_id = ${of.organizationId} and a.chain_id = ${of.chainId}
       and a.is_signed_by_key = ${of.areSignedByKeys}
       and a.created_at > now() - interval '1 day' -- For the index: no authorization is in flight that long.
       and a.ended_at > now() - ${BREAKER.within}::interval)`
}

/** Whether the breaker of an organization's contract payers on a chain is open. */
export async function areContractsBroken(
  db: Db,
  { organizationId, chainId }: { readonly organizationId: string; readonly chainId: number },
): Promise<boolean> {
  const whose = { organizationId: db`${organizationId}`, chainId: db`${chainId}`, areSignedByKeys: false }
  const [row] = await db<[{ isOpen: boolean }]>`select ${isBroken(db, whose)} as is_open`
  return row.isOpen
}
