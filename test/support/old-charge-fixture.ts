import { createChainSources } from '../../indexer/corroboration/chain-sources.ts'
import { createOldChargeComparison } from '../../indexer/reconciliation/compare-old-charges.ts'
import { OLD_CHARGES } from '../../indexer/reconciliation/sources-by-family.ts'
import { chainAt } from './chain-at.ts'
import { connectChain, NODE_TIMEOUT_MS, type Stage, watchedDeployment } from './payout-fixture.ts'
import { recordingLog } from './recording-log.ts'

/** Maximum number of turns, more than any test needs. */
const MAX_TURNS = 50

/** Numbers of rows found, differences, unexplained differences and failed reads, as counted by the metrics. */
export type ComparisonCounts = { found: number; differences: number; unexplained: number; unread: number }

/** Creates counters, and the comparison's metrics that update them. */
export function comparisonCounts() {
  const counts: ComparisonCounts = { found: 0, differences: 0, unexplained: 0, unread: 0 }
  const count = (name: keyof ComparisonCounts) => () => {
    counts[name] += 1
  }
  const metrics = {
    countFound: (_chainId: number, rows: number) => {
      counts.found += rows
    },
    countDifference: count('differences'),
    countUnexplained: count('unexplained'),
    countUnread: count('unread'),
    noteVerdict: () => undefined,
  }
  return { counts, metrics }
}

/** Creates a daemon's comparison of old charges on the stage's chain. The test runs its turns. */
export function oldChargeComparison(stage: Stage, rpcUrls: readonly string[] = [stage.rpcUrl]) {
  const deployment = watchedDeployment(stage)
  const { log, lines } = recordingLog()
  const { counts, metrics } = comparisonCounts()
  const connect = (url: string) => connectChain(url, NODE_TIMEOUT_MS)
  const chain = chainAt(rpcUrls, { chainId: deployment.chainId, connect })
  const { turn } = createOldChargeComparison({
    ...{ sql: stage.daemonSql, deployment, chain, sources: createChainSources(chain, 'evm'), log, metrics },
    ...{ rule: OLD_CHARGES.evm, now: () => stage.time.now, onNews: () => undefined },
  })
  return { turn, counts, lines, alerts: () => lines.filter(({ level }) => level === 'error') }
}

export async function readComparison(sql: Stage['sql'], chargeId: string) {
  const [row] = await sql<
    { dueAt: Date; comparedNumber: number | null; batchId: string | null; unreadNumber: number | null }[]
  >`
    select due_at, compared_number, batch_id, unread_number from charge_comparisons where charge_id = ${chargeId}`
  return row
}

/** Runs turns until no comparison is due at the stage's time. */
export async function compareAll(
  { sql, time }: { readonly sql: Stage['sql']; readonly time: { readonly now: Date } },
  { turn }: { readonly turn: () => Promise<unknown> },
): Promise<void> {
  for (let turns = 0; turns < MAX_TURNS; turns += 1) {
    await turn()
    const due = await sql`select from charge_comparisons where next_at <= ${time.now} limit 1`
    if (due.length === 0) return
  }
  throw new Error(`comparisons are still due after ${MAX_TURNS} turns`)
}

/** A stage with a clock that the test advances. */
type MovingStage = { readonly sql: Stage['sql']; readonly time: { now: Date } }

/** Advances the clock to `untilMs`, and runs each of the charge's comparisons at the time when it is due. */
export async function ageCharge(
  stage: MovingStage,
  comparison: { readonly turn: () => Promise<unknown> },
  { chargeId, untilMs }: { readonly chargeId: string; readonly untilMs: number },
): Promise<void> {
  for (let steps = 0; steps < MAX_TURNS; steps += 1) {
    await compareAll(stage, comparison)
    const due = (await readComparison(stage.sql, chargeId))?.dueAt.getTime() ?? untilMs
    if (due >= untilMs) break
    stage.time.now = new Date(due)
  }
  stage.time.now = new Date(Math.max(untilMs, stage.time.now.getTime()))
}
