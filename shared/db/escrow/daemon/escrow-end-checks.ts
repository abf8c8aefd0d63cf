import type { Address } from '../../../domain/address.ts'
import type { ReconciledCharge } from '../../chain-facts/reconciliations.ts'
import type { Db } from '../../connect.ts'
import { toJsonRow } from '../../rows.ts'

/** Seconds for which the end of an escrow waits for a balance that no quorum returns (decisions 4.4). */
const UNREAD_WAIT_SECONDS = 60

/** Inserts the missing checks of these charges, one per accepted chain. */
export async function openEndChecks(db: Db, chargeIds: readonly string[]): Promise<void> {
  await db`
    insert into escrow_end_checks (charge_id, chain_id)
    select c.id, d.chain_id from charges c join deployments d on d.chain_id = any (c.accepted_chains)
    where c.id = any (${chargeIds})
    on conflict do nothing`
}

/** Deletes the checks of charges whose escrow ends now, or turned out not to have ended. */
export async function deleteEndChecks(db: Db, chargeIds: readonly string[]): Promise<void> {
  await db`delete from escrow_end_checks where charge_id = any (${chargeIds})`
}

/** Lists those of these charges whose end is blocked by an excess, or waits for an unread balance. */
export async function listWaitingEnds(db: Db, chargeIds: readonly string[]): Promise<readonly string[]> {
  const rows = await db<{ chargeId: string }[]>`
    select distinct k.charge_id from escrow_end_checks k
    where k.charge_id = any (${chargeIds}) and ${isWaiting(db)}`
  return rows.map(({ chargeId }) => chargeId)
}

/**
 * Returns a query of one column: the charges whose end is neither blocked nor waiting. Excludes quarantined charges and
 * the charges in `except`.
 */
export function chargesWithCheckedEnds(
  db: Db,
  { limit, except }: { readonly limit: number; readonly except: readonly string[] },
) {
  return db`
    select e.charge_id from (
      select k.charge_id from escrow_end_checks k where k.charge_id <> all (${except})
      group by k.charge_id having not bool_or(${isWaiting(db)})
    ) e join charges c on c.id = e.charge_id and c.quarantined_at is null
    order by e.charge_id limit ${limit}`
}

/** A check of one charge's Safe on one chain. */
export type EndCheck = ReconciledCharge & {
  /** Whether the last check found an excess. */
  readonly isHeld: boolean
}

/** Claims the due checks of a chain, longest due first, until the lease ends. */
export async function claimEndChecks(
  db: Db,
  claim: { readonly chainId: number; readonly limit: number; readonly leaseSeconds: number },
): Promise<readonly EndCheck[]> {
  return db<EndCheck[]>`
    with due as (
      select charge_id, chain_id from escrow_end_checks
      where chain_id = ${claim.chainId} and result is distinct from 'explained' and next_at <= now()
      order by next_at limit ${claim.limit} for update skip locked
    ), claimed as (
      update escrow_end_checks k set next_at = now() + make_interval(secs => ${claim.leaseSeconds})
      from due where k.charge_id = due.charge_id and k.chain_id = due.chain_id
      returning k.charge_id, k.result
    )
    select c.id, c.address, c.split_address, c.environment, c.accepted_payments, c.created_at,
      c.escrow_releaser is not null as is_escrow, k.result is not distinct from 'excess' as is_held
    from claimed k join charges c on c.id = k.charge_id`
}

/** The result of comparing a Safe's balances with our rows. */
export type EndCheckResult = {
  readonly chargeId: string
  readonly block: number
  /** The token of which the Safe holds more than our rows explain; `null` if the balances that were read match. */
  readonly excess: {
    readonly tokenAddress: Address
    readonly expectedAtomic: bigint
    readonly foundAtomic: bigint
  } | null
  /** Whether a balance was not read. */
  readonly isUnread: boolean
}

/**
 * Records comparisons. A blocked end is compared again after `againInSeconds`. If the excess is gone but a balance of
 * the Safe was not read, the end waits for that balance for `UNREAD_WAIT_SECONDS` more.
 */
export async function recordEndChecks(
  db: Db,
  { chainId, againInSeconds }: { readonly chainId: number; readonly againInSeconds: number },
  results: readonly EndCheckResult[],
): Promise<void> {
  const rows = results.map(({ chargeId, block, excess, isUnread }) => {
    const matched = isUnread ? null : 'explained'
    return toJsonRow({ chargeId, block, result: excess === null ? matched : 'excess', ...excess })
  })
  await db`
    update escrow_end_checks k set
      result = r.result, block_number = r.block, checked_at = now(), token_address = r."tokenAddress",
      expected_atomic = r."expectedAtomic", found_atomic = r."foundAtomic",
      next_at = now() + make_interval(secs => ${againInSeconds})
    from jsonb_to_recordset(${db.json(rows)}) as r ("chargeId" text, block int8, result text, "tokenAddress" text,
      "expectedAtomic" numeric, "foundAtomic" numeric)
    where k.charge_id = r."chargeId" and k.chain_id = ${chainId}`
}

/** Counts the escrows whose end is blocked because a Safe holds more than our rows explain. */
export async function countHeldEscrowEnds(db: Db): Promise<number> {
  const [row] = await db<[{ held: number }]>`
    select count(distinct charge_id) as held from escrow_end_checks where result = 'excess'`
  return row.held
}

function isWaiting(db: Db) {
  return db`(k.result is not distinct from 'excess'
    or k.result is null
      and greatest(k.due_at, k.checked_at) > now() - make_interval(secs => ${UNREAD_WAIT_SECONDS}))`
}
