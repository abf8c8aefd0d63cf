import { countOverdueComparisons } from '../../shared/db/chain-facts/daemon/charge-comparisons.ts'
import type { Db } from '../../shared/db/connect.ts'
import { createLoop, type Loop } from '../../shared/runtime/poll-loop.ts'
import { type ConfiguredDeps, createCheckedChain } from '../corroboration/checked-chain.ts'
import { createOldChargeComparison, type OldChargeDeps } from './compare-old-charges.ts'
import { OLD_CHARGES } from './sources-by-family.ts'

/** Pause between two turns. Each turn sends a bounded number of requests. */
const INTERVAL_MS = 30_000
/** Delay after which a due comparison counts as overdue. Turns and batches normally delay a comparison by minutes. */
const OVERDUE_MS = 3_600_000
/** Maximum overdue charges counted. The gauge only shows whether there are many. */
const MAX_COUNTED = 10_000

/** Creates the loop that compares one chain's old charges with the chain. Any number of daemons may run it. */
export function createOldChargeLoop(deps: Omit<ConfiguredDeps<OldChargeDeps>, 'rule'>): Loop {
  const { chainId, family } = deps.deployment
  const checked = createCheckedChain(deps.deployment, 'background')
  const { turn } = createOldChargeComparison({ ...deps, ...checked, rule: OLD_CHARGES[family] })
  return createLoop({ name: `old charges ${chainId}`, intervalMs: INTERVAL_MS, turn, log: deps.log })
}

/** Counts a chain's charges whose comparison is overdue, up to 10,000. */
export function countOverdueCharges(
  db: Db,
  { chainId, now }: { readonly chainId: number; readonly now: Date },
): Promise<number> {
  const before = new Date(now.getTime() - OVERDUE_MS)
  return countOverdueComparisons(db, { chainId, before, limit: MAX_COUNTED })
}
