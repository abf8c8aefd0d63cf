import type { Fragment } from 'postgres'
import type { Db } from '../connect.ts'

/**
 * A circuit breaker opens when at least this number of authorizations reverted within this time, and at least half of
 * the authorizations that ended in this time reverted. Each revert costs us gas.
 *
 * A breaker covers one organization on one chain, so that no organization can block another. Authorizations signed by
 * payers' keys and authorizations approved by payers' contracts have separate breakers. Otherwise anyone could deploy
 * contracts that revert, and so disable payments by signature for a merchant.
 */
const BREAKER = { within: '1 hour', reverts: 5 }

/** Returns the SQL condition that the breaker is open, for key signatures or for contract signatures. */
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
       and a.created_at > now() - interval '1 day' -- Lets the query use the index. Authorizations end within a day.
       and a.ended_at > now() - ${BREAKER.within}::interval)`
}

/** Returns whether the breaker for authorizations approved by contracts is open for an organization on a chain. */
export async function areContractsBroken(
  db: Db,
  { organizationId, chainId }: { readonly organizationId: string; readonly chainId: number },
): Promise<boolean> {
  const whose = { organizationId: db`${organizationId}`, chainId: db`${chainId}`, areSignedByKeys: false }
  const [row] = await db<[{ isOpen: boolean }]>`select ${isBroken(db, whose)} as is_open`
  return row.isOpen
}
