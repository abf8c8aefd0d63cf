import type { Address } from '../../../domain/address.ts'
import type { Db } from '../../connect.ts'
import type { ReconciledCharge } from '../reconciliations.ts'
import { isUrgent } from './urgent-charges.ts'

/** A balance that our rows do not explain, in its stored form. Amounts are in the token's atomic units. */
export type StoredDifference = {
  readonly account: Address
  readonly tokenAddress: Address
  readonly expectedAtomic: string
  readonly foundAtomic: string
}

/** Sums of strangers' transfers into an escrow charge's split, by token address, in 10⁻¹⁸ dollars. */
export type StoredStrays = Readonly<Record<string, string>>

/** A claimed comparison of one charge on one chain. */
export type ChargeComparison = ReconciledCharge & {
  readonly activeAt: Date
  readonly isUrgent: boolean
  readonly batchId: string
  /** Highest compared block; `null` if all blocks since the charge's creation must be searched. */
  readonly comparedNumber: number | null
  /** Highest block that was not searched, because no quorum of nodes served its logs. */
  readonly unreadNumber: number | null
  readonly knownDifference: string | null
  readonly failures: number
  readonly begunAt: Date | null
  /** Block at which the balances were read; `null` before they are read. */
  readonly targetNumber: number | null
  /** Logs have been read from this block up to the target. */
  readonly searchedNumber: number | null
  readonly difference: readonly StoredDifference[] | null
  readonly strays: StoredStrays
}

/** A comparison whose balances have been read. */
export type BegunComparison = ChargeComparison & {
  readonly begunAt: Date
  readonly targetNumber: number
  readonly searchedNumber: number
}

/**
 * Returns the batch and the span of the comparison that has been due longest on a chain; `null` if no comparison is
 * due.
 */
export async function findDueComparison(
  db: Db,
  { chainId, now }: { readonly chainId: number; readonly now: Date },
): Promise<{ readonly batchId: string | null; readonly span: number } | null> {
  const [row] = await db<{ batchId: string | null; span: number }[]>`
    select batch_id, span from charge_comparisons
    where chain_id = ${chainId} and next_at <= ${now} order by next_at limit 1`
  return row ?? null
}

/** Which comparisons to claim, and for how long. */
type Claim = {
  readonly chainId: number
  readonly now: Date
  /** Comparisons without a batch may be claimed early if they are due by this time. */
  readonly until: Date
  readonly limit: number
  /** Duration of the lease. After it, other daemons may claim the comparisons. */
  readonly leaseSeconds: number
}

/** Claims the due comparisons of a batch, or creates a batch of charges with the same span, earliest due first. */
export async function claimComparisons(
  db: Db,
  { batchId, span }: { readonly batchId: string | null; readonly span: number },
  claim: Claim,
): Promise<readonly ChargeComparison[]> {
  const { chainId, now, until, limit, leaseSeconds } = claim
  const which =
    batchId === null
      ? db`batch_id is null and span = ${span} and next_at <= ${until}`
      : db`batch_id = ${batchId} and next_at <= ${now}`
  return db<ChargeComparison[]>`
    with due as (
      select charge_id, chain_id from charge_comparisons
      where chain_id = ${chainId} and ${which}
      order by next_at limit ${limit} for update skip locked
    ), claimed as (
      update charge_comparisons k set
        next_at = ${now}::timestamptz + make_interval(secs => ${leaseSeconds}),
        batch_id = coalesce(k.batch_id, (select min(charge_id) from due))
      from due where k.charge_id = due.charge_id and k.chain_id = due.chain_id
      returning k.*
    )
    select c.id, c.address, c.split_address, c.environment, c.accepted_payments, c.created_at,
      c.escrow_releaser is not null as is_escrow, c.last_activity_at as active_at, ${isUrgent(db)} as is_urgent,
      k.batch_id, k.compared_number, k.unread_number, k.known_difference, k.failures, k.begun_at, k.target_number,
      k.searched_number, k.difference, k.strays
    from claimed k join charges c on c.id = k.charge_id order by c.id`
}

/** Result of reading the balances of a charge. */
export type ComparisonStart = {
  readonly chargeId: string
  readonly targetNumber: number
  /** New differences, which require a search back to the charge's creation; `null` if there are none. */
  readonly difference: readonly StoredDifference[] | null
  /** The difference that an earlier search reported, if it still exists. */
  readonly knownDifference: string | null
}

/** Records that balances were read. The log search starts at the target and proceeds backwards. */
export async function recordComparisonStart(
  db: Db,
  { chainId, now }: { readonly chainId: number; readonly now: Date },
  starts: readonly ComparisonStart[],
): Promise<void> {
  await db`
    update charge_comparisons k set
      begun_at = ${now}, target_number = s."targetNumber", searched_number = s."targetNumber" + 1,
      difference = nullif(s.difference, 'null'::jsonb), known_difference = s."knownDifference", strays = '{}', failures = 0,
      compared_number = case when nullif(s.difference, 'null'::jsonb) is null then k.compared_number end
    from jsonb_to_recordset(${db.json(starts as never)}) as s ("chargeId" text, "targetNumber" int8, difference jsonb,
      "knownDifference" text)
    where k.charge_id = s."chargeId" and k.chain_id = ${chainId} and k.target_number is null`
}

/** A range of blocks that was searched for a charge. */
export type SearchedRange = {
  readonly chargeId: string
  /** Value of `searchedNumber` before this range was searched. */
  readonly beforeNumber: number
  readonly searchedNumber: number
  readonly strays: StoredStrays
}

/** Records how far logs were searched. Skips comparisons that another daemon has updated in the meantime. */
export async function recordSearched(
  db: Db,
  chainId: number,
  ranges: readonly SearchedRange[],
): Promise<void> {
  await db`
    update charge_comparisons k set searched_number = s."searchedNumber", strays = s.strays, failures = 0
    from jsonb_to_recordset(${db.json(ranges as never)}) as s ("chargeId" text, "beforeNumber" int8,
      "searchedNumber" int8, strays jsonb)
    where k.charge_id = s."chargeId" and k.chain_id = ${chainId} and k.searched_number = s."beforeNumber"`
}

/** A complete comparison, and the time at which the next one is due. */
export type ComparisonEnd = {
  readonly chargeId: string
  readonly dueAt: Date
  readonly span: number
  readonly unreadNumber: number | null
  readonly knownDifference: string | null
}

/** Records that all blocks up to the targets of these comparisons have been compared. */
export async function recordComparisonEnd(
  db: Db,
  chainId: number,
  ends: readonly ComparisonEnd[],
): Promise<void> {
  await db`
    update charge_comparisons k set
      compared_at = k.begun_at, compared_number = k.target_number, due_at = e."dueAt", next_at = e."dueAt", span = e.span,
      unread_number = e."unreadNumber", known_difference = e."knownDifference",
      batch_id = null, begun_at = null, target_number = null, searched_number = null, difference = null, strays = '{}',
      failures = 0
    from jsonb_to_recordset(${db.json(ends as never)}) as e ("chargeId" text, "dueAt" timestamptz, span int2,
      "unreadNumber" int8, "knownDifference" text)
    where k.charge_id = e."chargeId" and k.chain_id = ${chainId} and k.target_number is not null`
}

/** Releases claimed comparisons. They may be claimed again from `nextAt` on. */
export async function releaseComparisons(
  db: Db,
  comparisons: { readonly chainId: number; readonly chargeIds: readonly string[]; readonly nextAt: Date },
  change: { readonly failures: number; readonly batchId: string | null },
): Promise<void> {
  const { chainId, chargeIds, nextAt } = comparisons
  if (chargeIds.length === 0) return
  await db`
    update charge_comparisons set next_at = ${nextAt}, failures = ${change.failures}, batch_id = ${change.batchId}
    where chain_id = ${chainId} and charge_id = any (${chargeIds})`
}

/** Counts at most `limit` comparisons of a chain that were due before a time. */
export async function countOverdueComparisons(
  db: Db,
  { chainId, before, limit }: { readonly chainId: number; readonly before: Date; readonly limit: number },
): Promise<number> {
  const [row] = await db<[{ overdue: number }]>`
    select count(*)::int as overdue from (
      select from charge_comparisons where chain_id = ${chainId} and due_at < ${before} limit ${limit}) due`
  return row.overdue
}
