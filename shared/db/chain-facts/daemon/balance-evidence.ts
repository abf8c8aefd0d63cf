import type { Address } from '../../../domain/address.ts'
import type { Db } from '../../connect.ts'
import { isOpen } from '../../laws.ts'
import type { ReconciledCharge } from '../reconciliations.ts'
import { type DeepBlockRow, deepTime } from './agreed-deep-blocks.ts'
import type { BlockMark } from './ponder-tables.ts'

/** How far a chain has come, for those of its charges whose time is up. */
export type EvidencePlace = {
  /** The deep block that a quorum agreed on, for charges whose deadline that block has passed. */
  readonly deep: DeepBlockRow | null
  /** The feed's head, while the chain stands still; for those whose deadline was passed by the clock. */
  readonly quiet: BlockMark | null
  /** The feed's head. */
  readonly head: BlockMark
  /** Every deadline up to here is passed. */
  readonly until: Date
}

/**
 * Finds where a chain's balances are to be read; `null` while no quorum has agreed on a deep block that the feed has
 * applied, or the network is abandoned and nothing waits for it.
 */
export async function findEvidencePlace(
  db: Db,
  { chainId, silentSeconds }: { readonly chainId: number; readonly silentSeconds: number },
): Promise<EvidencePlace | null> {
  const [row] = await db<EvidenceRow[]>`
    select d.deep_number >= d.agreed_deep_number as is_deep, d.agreed_deep_number as number,
      d.agreed_deep_hash as hash, d.agreed_deep_timestamp as timestamp, d.head_number, d.head_timestamp,
      coalesce(d.quiet_at > now() - interval '2 minutes', false) as is_quiet,
      least(now(), greatest(coalesce(${deepTime(db)}, to_timestamp(0)),
        case when d.quiet_at > now() - interval '2 minutes' then now() - make_interval(secs => ${silentSeconds}) end
      )) as until
    from deployments d where d.chain_id = ${chainId} and d.abandoned_at is null and d.head_number is not null`
  if (row === undefined) return null
  const { isDeep, number, hash, timestamp, headNumber, headTimestamp, isQuiet, until } = row
  const deep = isDeep === true ? { number, hash, timestamp } : null
  const head = { number: headNumber, timestamp: headTimestamp }
  const quiet = isQuiet ? head : null
  return deep === null && quiet === null ? null : { deep, quiet, head, until }
}

/** Its block is null until a quorum has agreed on one, and then `isDeep` is, too. */
type EvidenceRow = DeepBlockRow & {
  isDeep: boolean | null
  headNumber: number
  headTimestamp: number
  isQuiet: boolean
  until: Date
}

/**
 * Makes the rows of open charges whose deadline this chain has passed, those not made yet; the earliest deadlines first.
 *
 * @returns how many it made
 */
export async function enrolForEvidence(
  db: Db,
  query: { readonly chainId: number; readonly after: Date; readonly until: Date; readonly limit: number },
): Promise<number> {
  const rows = await db`
    insert into balance_evidence (charge_id, chain_id, next_at)
    select c.id, ${query.chainId}, now() from charges c
    where ${isOpen(db, db`c.status`)} and c.expires_at >= ${query.after}
      and c.expires_at <= ${query.until} and ${query.chainId} = any (c.accepted_chains)
      -- Not as "not exists": that may be joined by reading the evidence of all charges that ever ended.
      and (select e.charge_id from balance_evidence e where e.charge_id = c.id and e.chain_id = ${query.chainId}) is null
    order by c.expires_at limit ${query.limit}
    on conflict do nothing returning charge_id`
  return rows.length
}

/** A charge whose evidence is to be gathered, and what was found the last time. */
export type EvidenceClaim = ReconciledCharge & {
  readonly expiresAt: Date
  /** The block at depth has passed its deadline. */
  readonly isDeep: boolean
  readonly isOpen: boolean
  /** It was brought back: the blocks that were made while it was unknown were not looked through for it. */
  readonly needsSearch: boolean
  readonly account: Address | null
  readonly tokenAddress: Address | null
  readonly expectedAtomic: bigint | null
  readonly foundAtomic: bigint | null
  readonly searchedAt: Date | null
}

/** Whether evidence of a chain is due: while none is, no node is asked. */
export async function hasDueEvidence(db: Db, chainId: number): Promise<boolean> {
  const rows = await db`
    select from balance_evidence
    where chain_id = ${chainId} and result <> 'clear' and next_at <= now() limit 1`
  return rows.length > 0
}

/** Claims for this daemon those that wait longest, which no other has before the lease is over. */
export async function claimEvidence(
  db: Db,
  claim: {
    readonly chainId: number
    readonly deepTimestamp: number | null
    readonly limit: number
    readonly leaseSeconds: number
  },
): Promise<readonly EvidenceClaim[]> {
  return db<EvidenceClaim[]>`
    with due as (
      select charge_id, chain_id from balance_evidence
      where chain_id = ${claim.chainId} and result <> 'clear' and next_at <= now()
      order by next_at limit ${claim.limit} for update skip locked
    ), claimed as (
      update balance_evidence e set next_at = now() + make_interval(secs => ${claim.leaseSeconds})
      from due where e.charge_id = due.charge_id and e.chain_id = due.chain_id
      returning e.*
    )
    select c.id, c.address, c.split_address, c.environment, c.accepted_payments, c.created_at,
      c.escrow_releaser is not null as is_escrow, c.expires_at,
      coalesce(to_timestamp(${claim.deepTimestamp}::int8) >= c.expires_at, false) as is_deep,
      ${isOpen(db, db`c.status`)} as is_open, e.needs_search,
      e.account, e.token_address, e.expected_atomic, e.found_atomic, e.searched_at
    from claimed e join charges c on c.id = e.charge_id`
}

/** What was read of a charge on a chain. */
export type Evidence = {
  readonly chargeId: string
  readonly result: 'unread' | 'clear' | 'quiet' | 'excess'
  readonly block: BlockMark | null
  readonly excess: {
    readonly account: Address
    readonly tokenAddress: Address
    readonly expectedAtomic: bigint
    readonly foundAtomic: bigint
    readonly isSearched: boolean
  } | null
  /** When it is to be gathered again, unless it is clear. */
  readonly againInSeconds: number
}

/** Writes down what was gathered. */
export async function recordEvidence(db: Db, chainId: number, evidence: readonly Evidence[]): Promise<void> {
  const rows = evidence.map(({ block, excess, ...row }) => ({
    ...row,
    blockNumber: block?.number ?? null,
    blockTimestamp: block?.timestamp ?? null,
    account: excess?.account ?? null,
    tokenAddress: excess?.tokenAddress ?? null,
    expectedAtomic: excess === null ? null : String(excess.expectedAtomic),
    foundAtomic: excess === null ? null : String(excess.foundAtomic),
    isSearched: excess?.isSearched ?? false,
  }))
  await db`
    update balance_evidence e set
      result = r.result, block_number = r."blockNumber", block_timestamp = r."blockTimestamp",
      checked_at = case when r."blockNumber" is null then e.checked_at else now() end,
      account = r.account, token_address = r."tokenAddress",
      expected_atomic = r."expectedAtomic", found_atomic = r."foundAtomic",
      searched_at = case when r."isSearched" then now() end,
      next_at = now() + make_interval(secs => r."againInSeconds")
    from jsonb_to_recordset(${db.json(rows)}) as r ("chargeId" text, result text, "blockNumber" int8,
      "blockTimestamp" int8, account text, "tokenAddress" text, "expectedAtomic" numeric, "foundAtomic" numeric,
      "isSearched" boolean, "againInSeconds" double precision)
    where e.charge_id = r."chargeId" and e.chain_id = ${chainId} and e.result <> 'clear'`
}

/** Forgets what was to be gathered of charges that have ended otherwise. */
export async function forgetEvidence(
  db: Db,
  { chainId, chargeIds }: { readonly chainId: number; readonly chargeIds: readonly string[] },
): Promise<void> {
  if (chargeIds.length === 0) return
  await db`
    delete from balance_evidence
    where chain_id = ${chainId} and charge_id = any (${chargeIds}) and result <> 'clear'`
}

/**
 * The condition that a charge `c` may end unpaid: on each network it accepts and that is not abandoned, our rows explain
 * all that another source has found there past its deadline; or an operator has said so.
 *
 * A balance speaks of what is there, and no more of what was paid and distributed before: of that only logs do, so
 * reconciliation has looked through all blocks up to where the balances were read, or, of a chain that stands still, to
 * the last deep one.
 */
export function hasEvidence(db: Db, silentSeconds: number) {
  return db`(
    exists (select from expiry_orders o where o.charge_id = c.id)
    or not exists (
      select from unnest(c.accepted_chains) as a (chain_id) join deployments d on d.chain_id = a.chain_id
      left join reconciliations s on s.chain_id = a.chain_id
      where d.abandoned_at is null and not exists (
        select from balance_evidence e
        where e.charge_id = c.id and e.chain_id = a.chain_id
          and (e.result = 'clear' and to_timestamp(e.block_timestamp) >= c.expires_at
              and s.scanned_number >= e.block_number
            or e.result = 'quiet' and e.block_number = d.head_number
              and d.quiet_at > now() - interval '2 minutes'
              and c.expires_at + make_interval(secs => ${silentSeconds}) <= now()
              and s.scanned_number >= coalesce(d.deep_number, 0)))))`
}
