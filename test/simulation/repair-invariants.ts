import type { InvariantContext } from './invariant-context.ts'
import type { Plan } from './plan-types.ts'
import { TURN_FAULT } from './quarantines.ts'

/**
 * Returns each violation of this rule: at rest, every order to repair a feed has ended, no feed is shown as ahead of
 * its chain, and no charge is quarantined.
 */
export async function findUnrepaired({
  database,
}: Pick<InvariantContext, 'database'>): Promise<readonly string[]> {
  const rows = await database.sql<{ problem: string }[]>`
    select 'the feed of ' || chain_id || ' waits for its repair' as problem from deployments
    where repair_requested_at is not null
    union all
    select 'the feed of ' || chain_id || ' is still shown as ahead of its chain' from deployments
    where feed_ahead_since is not null
    union all
    select id || ' is still quarantined' from charges where quarantined_at is not null`
  return rows.map(({ problem }) => problem)
}

/**
 * Returns a pattern of the errors that a plan is expected to cause. In other histories, only a bug could cause them.
 */
export function buildExpectedAlerts({ repairs, quarantines }: Pick<Plan, 'repairs' | 'quarantines'>): RegExp {
  const expected = [
    ...(repairs.length > 0 ? ['Feed is ahead of its chain'] : []),
    ...(quarantines.length > 0 ? [`Quarantined a charge: its turn failed: \\w+ ${TURN_FAULT}`] : []),
  ]
  return expected.length > 0 ? new RegExp(`^(${expected.join('|')})`) : /(?!)/
}
