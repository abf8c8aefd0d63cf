import type { Address } from '../../../domain/address.ts'
import type { ChargeStatus } from '../../../domain/charge.ts'
import type { Environment, Network } from '../../../domain/networks.ts'
import type { Db } from '../../connect.ts'
import { isOpen } from '../../laws.ts'

/** A charge whose time is up and that does not end: a balance is not explained, or nobody could read it. */
export type HeldCharge = {
  readonly id: string
  readonly organizationName: string
  readonly environment: Environment
  readonly status: ChargeStatus
  readonly network: Network
  readonly result: 'unread' | 'excess'
  readonly tokenAddress: Address | null
  readonly expectedAtomic: bigint | null
  readonly foundAtomic: bigint | null
  readonly checkedAt: Date | null
}

/** Lists the open charges that wait for evidence, those held by a balance first; at most 1,000. */
export async function listHeldCharges(db: Db): Promise<readonly HeldCharge[]> {
  return await db<HeldCharge[]>`
    select c.id, o.name as organization_name, c.environment, c.status, d.network, e.result, e.token_address,
      e.expected_atomic, e.found_atomic, e.checked_at
    from balance_evidence e
    join charges c on c.id = e.charge_id and ${isOpen(db, db`c.status`)}
    join deployments d on d.chain_id = e.chain_id and d.abandoned_at is null
    join organizations o on o.id = c.organization_id
    where e.result in ('unread', 'excess')
      and not exists (select from expiry_orders x where x.charge_id = c.id)
    order by e.result, c.expires_at, c.id
    limit 1000`
}

/**
 * Writes down that a charge may end as its chains say, whatever its balances are; a second time the first word stays.
 * Chain time, and what was mined in time and waits, hold it back as ever.
 *
 * @returns `undefined` if there is no such charge, else whether it waits for that: it is open, and its time is up
 */
export async function orderExpiry(
  db: Db,
  { chargeId, because }: { readonly chargeId: string; readonly because: string },
): Promise<
  { readonly status: ChargeStatus; readonly expiresAt: Date; readonly isOrdered: boolean } | undefined
> {
  const [charge] = await db<{ status: ChargeStatus; expiresAt: Date; isOrdered: boolean }[]>`
    with charge as (
      select id, status, expires_at, ${isOpen(db, db`status`)} and expires_at <= now() as is_waiting
      from charges where id = ${chargeId}
    ), ordered as (
      insert into expiry_orders (charge_id, because) select id, ${because} from charge where is_waiting
      on conflict do nothing
    )
    select status, expires_at, is_waiting as is_ordered from charge`
  return charge
}
