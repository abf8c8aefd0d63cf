import type { Fragment } from 'postgres'
import type { Db } from '../connect.ts'

/**
 * A circuit breaker opens after this number of reverts within this time, if they are at least half of the
 * authorizations that ended. Each revert costs us gas.
 *
 * A breaker covers one organization on one chain, so that no organization can block another. Authorizations that
 * payers' keys signed, and those that payers' contracts approve, have separate breakers: anyone can deploy contracts
 * that revert, and could otherwise disable payments by signature for a merchant.
 */
const BREAKER = { within: '1 hour', reverts: 5 }

/** Returns SQL for the condition that the breaker of one kind of authorizations is open. */
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
       and a.created_at > now() - interval '1 day' -- This condition lets the query use the index. No authorization is in flight for that long.
       and a.ended_at > now() - ${BREAKER.within}::interval)`
}

/** Returns whether the breaker for contracts of an organization's payers on a chain is open. */
export async function areContractsBroken(
  db: Db,
  { organizationId, chainId }: { readonly organizationId: string; readonly chainId: number },
): Promise<boolean> {
  const whose = { organizationId: db`${organizationId}`, chainId: db`${chainId}`, areSignedByKeys: false }
  const [row] = await db<[{ isOpen: boolean }]>`select ${isBroken(db, whose)} as is_open`
  return row.isOpen
}
