import type { Fragment } from 'postgres'
import type { Db } from '../connect.ts'

/**
 * Reverts within this time that open a circuit breaker if they are half of the authorizations that ended: each costs us
 * gas.
 *
 * A breaker is for one organization on one chain, so that none can stop another's. Those signed by payers' keys and those
 * that payers' contracts approve have one each: a stranger can deploy contracts that revert, and would otherwise switch
 * payments by signature off for a merchant.
 */
const BREAKER = { within: '1 hour', reverts: 5 }

/** Returns the condition that the breaker of one kind of authorizations is open. */
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
       and a.created_at > now() - interval '1 day' -- For the index: none is under way so long.
       and a.ended_at > now() - ${BREAKER.within}::interval)`
}

/** Reads whether the breaker of an organization's contract payers on a chain is open. */
export async function areContractsBroken(
  db: Db,
  { organizationId, chainId }: { readonly organizationId: string; readonly chainId: number },
): Promise<boolean> {
  const whose = { organizationId: db`${organizationId}`, chainId: db`${chainId}`, areSignedByKeys: false }
  const [row] = await db<[{ isOpen: boolean }]>`select ${isBroken(db, whose)} as is_open`
  return row.isOpen
}
