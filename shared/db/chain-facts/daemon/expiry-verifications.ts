import type { Address } from '../../../domain/address.ts'
import type { Db } from '../../connect.ts'
import { isOpen } from '../../predicates.ts'
import { toJsonRow } from '../../rows.ts'
import type { ReconciledCharge } from '../reconciliations.ts'
import { type AgreedHead, selectAgreedTime } from './agreed-heads.ts'
import type { BlockTime } from './ponder-tables.ts'

/** The blocks at which to read the balances of a chain's charges whose deadline has passed. */
export type ExpiryReadPosition = {
  /** Confirmed head that a quorum agreed on, for charges whose deadline is not after that block's time. */
  readonly deep: AgreedHead | null
  /** The feed's head if the chain is stalled, for charges whose deadline has passed by wall time. */
  readonly quiet: BlockTime | null
  /** The feed's head, whether or not the chain is stalled. */
  readonly head: BlockTime
  /** Latest deadline that counts as passed on this chain. */
  readonly until: Date
}

/**
 * Finds the blocks at which to read a chain's balances. Returns `null` if the feed has no head, or if the network is
 * abandoned, because it then blocks no expiry. Unless the chain is stalled, also returns `null` if no quorum has agreed
 * on a confirmed head, or if the feed's confirmed head is below the agreed head.
 */
export async function findExpiryReadPosition(
  db: Db,
  { chainId, silentSeconds }: { readonly chainId: number; readonly silentSeconds: number },
): Promise<ExpiryReadPosition | null> {
  const [row] = await db<EvidenceRow[]>`
    select d.confirmed_head_number >= d.agreed_head_number as is_deep, d.agreed_head_number as number,
      d.agreed_head_hash as hash, d.agreed_head_timestamp as timestamp, d.head_number, d.head_timestamp,
      coalesce(d.idle_at > now() - interval '2 minutes', false) as is_quiet,
      least(now(), greatest(coalesce(${selectAgreedTime(db)}, to_timestamp(0)),
        case when d.idle_at > now() - interval '2 minutes' then now() - make_interval(secs => ${silentSeconds}) end
      )) as until
    from deployments d where d.chain_id = ${chainId} and d.abandoned_at is null and d.head_number is not null`
  if (row === undefined) return null
  const { isDeep, number, hash, timestamp, headNumber, headTimestamp, isQuiet, until } = row
  const deep = isDeep === true ? { number, hash, timestamp } : null
  const head = { number: headNumber, timestamp: headTimestamp }
  const quiet = isQuiet ? head : null
  return deep === null && quiet === null ? null : { deep, quiet, head, until }
}

/**
 * `isDeep` and the fields of the agreed head are null until a quorum has agreed on a confirmed head. `isDeep` is also
 * null while the feed has no confirmed head.
 */
type EvidenceRow = AgreedHead & {
  isDeep: boolean | null
  headNumber: number
  headTimestamp: number
  isQuiet: boolean
  until: Date
}

/**
 * Inserts a verification for each open charge with a deadline from `after` to `until` that has no verification on this
 * chain, earliest deadline first.
 *
 * @returns the number of inserted verifications
 */
export async function insertExpiryVerifications(
  db: Db,
  query: { readonly chainId: number; readonly after: Date; readonly until: Date; readonly limit: number },
): Promise<number> {
  const { count } = await db`
    insert into expiry_verifications (charge_id, chain_id, next_attempt_at)
    select c.id, ${query.chainId}, now() from charges c
    where ${isOpen(db, db`c.status`)} and c.expires_at >= ${query.after}
      and c.expires_at <= ${query.until} and ${query.chainId} = any (c.accepted_chains)
      -- Not written as "not exists", because PostgreSQL might execute that as a join with the verifications of all
      -- charges that ever ended.
      and (select e.charge_id from expiry_verifications e where e.charge_id = c.id and e.chain_id = ${query.chainId}) is null
    order by c.expires_at limit ${query.limit}
    on conflict do nothing`
  return count
}

/** A charge whose balances on a chain must be verified, and the findings of the previous attempt. */
export type ExpiryVerificationClaim = ReconciledCharge & {
  readonly expiresAt: Date
  /** Whether the confirmed head has passed the charge's deadline. */
  readonly isDeep: boolean
  readonly isOpen: boolean
  /** Whether the charge was imported, so that no scan has searched earlier blocks for its payments. */
  readonly needsSearch: boolean
  readonly account: Address | null
  readonly tokenAddress: Address | null
  readonly expectedAtomic: bigint | null
  readonly foundAtomic: bigint | null
  readonly searchedAt: Date | null
}

/** Returns whether a verification on a chain is due. Otherwise, no node needs to be queried. */
export async function hasDueExpiryVerification(db: Db, chainId: number): Promise<boolean> {
  const rows = await db`
    select from expiry_verifications
    where chain_id = ${chainId} and result <> 'matched' and next_attempt_at <= now() limit 1`
  return rows.length > 0
}

/** Claims the due verifications that have waited longest. Other daemons cannot claim them before the lease ends. */
export async function claimExpiryVerifications(
  db: Db,
  claim: {
    readonly chainId: number
    readonly confirmedHeadTimestamp: number | null
    readonly limit: number
    readonly leaseSeconds: number
  },
): Promise<readonly ExpiryVerificationClaim[]> {
  return db<ExpiryVerificationClaim[]>`
    with due as (
      select charge_id, chain_id from expiry_verifications
      where chain_id = ${claim.chainId} and result <> 'matched' and next_attempt_at <= now()
      order by next_attempt_at limit ${claim.limit} for update skip locked
    ), claimed as (
      update expiry_verifications e set next_attempt_at = now() + make_interval(secs => ${claim.leaseSeconds})
      from due where e.charge_id = due.charge_id and e.chain_id = due.chain_id
      returning e.*
    )
    select c.id, c.address, c.split_address, c.environment, c.accepted_payments, c.created_at,
      c.escrow_releaser is not null as is_escrow, c.expires_at,
      coalesce(to_timestamp(${claim.confirmedHeadTimestamp}::int8) >= c.expires_at, false) as is_deep,
      ${isOpen(db, db`c.status`)} as is_open, e.needs_search,
      e.account, e.token_address, e.expected_atomic, e.found_atomic, e.searched_at
    from claimed e join charges c on c.id = e.charge_id`
}

/** The result of comparing the balances of a charge on a chain with our rows. */
export type ExpiryVerification = {
  readonly chargeId: string
  readonly result: 'unverified' | 'matched' | 'matched_at_head' | 'excess'
  readonly block: BlockTime | null
  readonly excess: {
    readonly account: Address
    readonly tokenAddress: Address
    readonly expectedAtomic: bigint
    readonly foundAtomic: bigint
    readonly isSearched: boolean
  } | null
  /** Seconds until the next attempt, unless the result is `matched`. */
  readonly againInSeconds: number
}

const NO_EXCESS = {
  ...{ account: null, tokenAddress: null, expectedAtomic: null, foundAtomic: null, isSearched: false },
}

/** Records the results of verifications. */
export async function recordExpiryVerifications(
  db: Db,
  chainId: number,
  evidence: readonly ExpiryVerification[],
): Promise<void> {
  const rows = evidence.map(({ block, excess, ...row }) =>
    toJsonRow({
      ...{ ...row, blockNumber: block?.number ?? null, blockTimestamp: block?.timestamp ?? null },
      ...(excess ?? NO_EXCESS),
    }),
  )
  await db`
    update expiry_verifications e set
      result = r.result, block_number = r."blockNumber", block_timestamp = r."blockTimestamp",
      checked_at = case when r."blockNumber" is null then e.checked_at else now() end,
      account = r.account, token_address = r."tokenAddress",
      expected_atomic = r."expectedAtomic", found_atomic = r."foundAtomic",
      searched_at = case when r."isSearched" then now() end,
      next_attempt_at = now() + make_interval(secs => r."againInSeconds")
    from jsonb_to_recordset(${db.json(rows)}) as r ("chargeId" text, result text, "blockNumber" int8,
      "blockTimestamp" int8, account text, "tokenAddress" text, "expectedAtomic" numeric, "foundAtomic" numeric,
      "isSearched" boolean, "againInSeconds" double precision)
    where e.charge_id = r."chargeId" and e.chain_id = ${chainId} and e.result <> 'matched'`
}

/** Deletes the incomplete verifications of charges that are no longer open. */
export async function deleteExpiryVerifications(
  db: Db,
  { chainId, chargeIds }: { readonly chainId: number; readonly chargeIds: readonly string[] },
): Promise<void> {
  if (chargeIds.length === 0) return
  await db`
    delete from expiry_verifications
    where chain_id = ${chainId} and charge_id = any (${chargeIds}) and result <> 'matched'`
}

/**
 * Returns the condition that a charge `c` may end unpaid: an operator has ordered the expiry, or our rows explain the
 * balances that a quorum reported after the deadline on each accepted network that is not abandoned.
 *
 * A payment that was already distributed appears in no balance, only in logs. Reconciliation must therefore have
 * scanned all blocks up to the block at which the balances were read, or on a stalled chain up to the confirmed head.
 */
export function isExpiryVerified(db: Db, silentSeconds: number) {
  return db`(
    exists (select from expiry_overrides o where o.charge_id = c.id)
    or not exists (
      select from unnest(c.accepted_chains) as a (chain_id) join deployments d on d.chain_id = a.chain_id
      left join reconciliations s on s.chain_id = a.chain_id
      where d.abandoned_at is null and not exists (
        select from expiry_verifications e
        where e.charge_id = c.id and e.chain_id = a.chain_id
          and (e.result = 'matched' and to_timestamp(e.block_timestamp) >= c.expires_at
              and s.scanned_block_number >= e.block_number
            or e.result = 'matched_at_head' and e.block_number = d.head_number
              and d.idle_at > now() - interval '2 minutes'
              and c.expires_at + make_interval(secs => ${silentSeconds}) <= now()
              and s.scanned_block_number >= coalesce(d.confirmed_head_number, 0)))))`
}
