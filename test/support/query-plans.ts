import { connect, type Sql } from '../../shared/db/connect.ts'
import { GROWING } from './finished-work.ts'
import type { TestDatabase } from './postgres.ts'

/** A node of `explain (analyze, format json)`. */
export type PlanNode = {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly PlanNode[]
}

/** A connection that reports how PostgreSQL executed its statements. */
export type Explained = {
  readonly sql: Sql
  /** Returns every plan node of the statements executed since the last call. */
  readonly takeNodes: () => readonly PlanNode[]
}

/** Connects as the superuser, because only the superuser can load PostgreSQL's `auto_explain`. */
export async function connectExplained(database: TestDatabase): Promise<Explained> {
  let plans: PlanNode[] = []
  const sql = connect({
    url: database.url.owner.replace('test_owner@', 'postgres@'),
    applicationName: 'test',
    maxConnections: 1,
    onNotice: ({ message }) => {
      const plan = /^duration: .*? plan:\n(.*)$/s.exec(message ?? '')?.[1]
      if (plan !== undefined) plans.push((JSON.parse(plan) as { Plan: PlanNode }).Plan)
    },
  })
  await sql.unsafe(`load 'auto_explain'; set auto_explain.log_level = notice; set auto_explain.log_format = json;
    set auto_explain.log_analyze = on; set auto_explain.log_timing = off; set auto_explain.log_min_duration = 0`)
  return {
    sql,
    takeNodes: () => {
      const taken = plans
      plans = []
      return taken.flatMap(nodesOf)
    },
  }
}

/**
 * Computes PostgreSQL's statistics from all rows of tables with up to 600,000 rows, instead of a sample, so that plans
 * are the same in every run.
 */
export async function analyzeWhole({ sql }: TestDatabase): Promise<void> {
  const session = await sql.reserve()
  await session.unsafe('set default_statistics_target = 2000')
  await session.unsafe('vacuum analyze')
  session.release()
}

/**
 * Runs a query, and returns the problems of its plan: a full scan of a `GROWING` table, more than `mostRows` rows read
 * from `GROWING` tables, or no such table read.
 */
export async function listPlanProblems(
  { sql, takeNodes }: Explained,
  { ask, mostRows }: { readonly ask: (sql: Sql) => Promise<unknown>; readonly mostRows: number },
): Promise<readonly string[]> {
  takeNodes()
  await ask(sql)
  const scans = takeNodes().filter((node) => GROWING.includes(node['Relation Name'] ?? ''))
  if (scans.length === 0) return ['reads no table that grows']
  const read = scans.reduce((sum, node) => sum + rowsReadBy(node), 0)
  return [
    ...scans
      .filter((node) => node['Node Type'] === 'Seq Scan')
      .map((node) => `scans ${node['Relation Name']}`),
    ...(read > mostRows ? [`reads ${read} rows`] : []),
  ]
}

/** Returns the number of rows that a scan read, including discarded rows. */
export function rowsReadBy(node: PlanNode): number {
  return (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
}

function nodesOf(plan: PlanNode): readonly PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
}
