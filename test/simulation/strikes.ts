import { insertStrikes, type StrikeTarget } from '../../shared/db/charges/daemon/strikes.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { Scheduler, SimulatedProcess } from './engine/scheduler.ts'

type Terms = {
  readonly scheduler: Scheduler
  readonly process: SimulatedProcess
  /** Connections with the role of the operators' commands. */
  readonly sql: Sql
}

/** Minimum time between two searches for denied rows. */
const LOOK_MS = 6_000
const REASON = 'no explorer shows it'

/**
 * Orders strikes of all rows of a chain, counted or not, and of a row that does not exist, like an operator who
 * confuses rows.
 *
 * @throws {Error} if the order for the missing row is accepted
 */
export async function strikeEveryRow({ sql }: Pick<Terms, 'sql'>, chainId: number): Promise<void> {
  const rows = await sql<(StrikeTarget & { isCounted: boolean })[]>`
    select 'transfer' as kind, id as row_id, credited_at is not null as is_counted from transfers where chain_id = ${chainId}
    union all
    select 'split-event', id, applied_at is not null from split_events where chain_id = ${chainId}
    union all
    select 'escrow-transfer', id, applied_at is not null from escrow_transfers where chain_id = ${chainId}
    order by 1, 2`
  const missing = { kind: 'transfer', rowId: 1_000_000 } as const
  const orders = await insertStrikes(sql, { targets: [...rows, missing], reason: REASON })
  if (orders.some(({ rowId }) => rowId === missing.rowId)) throw new Error('a missing row can be struck')
}

/**
 * Orders strikes of the counted rows that are orphaned, as the alerts request. Repeats this until the history ends,
 * because more rows can be denied later, and an order is rejected while a node is silent.
 */
export async function strikeDenied(terms: Terms, chainId: number): Promise<void> {
  const { scheduler, process, sql } = terms
  const targets = await sql<StrikeTarget[]>`
    select 'transfer' as kind, id as row_id from transfers
    where chain_id = ${chainId} and inclusion = 'orphaned' and credited_at is not null
    union all
    select 'split-event', id from split_events
    where chain_id = ${chainId} and inclusion = 'orphaned' and applied_at is not null
    union all
    select 'escrow-transfer', id from escrow_transfers
    where chain_id = ${chainId} and inclusion = 'orphaned' and applied_at is not null
    order by 1, 2`
  if (targets.length > 0) await insertStrikes(sql, { targets, reason: REASON })
  const delayMs = Math.max(LOOK_MS, scheduler.calmStepMs())
  const run = () => void strikeDenied(terms, chainId)
  scheduler.later({ delayMs, process, label: `looks for denied rows of ${chainId}`, run })
}
