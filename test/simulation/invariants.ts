import { createHash } from 'node:crypto'
import { findMiscredited, findWrongCharges, findWrongSums } from './credit-invariants.ts'
import { findMissingTelling, findWrongTelling } from './delivery-invariants.ts'
import { findUntold } from './event-invariants.ts'
import type { InvariantContext } from './invariant-context.ts'
import { findUnbounded, findUnpaid, findWrongShares } from './payout-invariants.ts'
import {
  findEarly,
  findHastyEnds,
  findHastySettlements,
  findShallowVerification,
} from './timing-invariants.ts'
import { findFalseCounts, findFalseResults, findInventedRows } from './truth-invariants.ts'

/** What is nobody's fault but ours, whatever goes wrong around us. */
const NEVER_TOLD =
  /^(Uncaught|Quarantined|Rejected a transaction|Nonce was used|Feed is ahead)|TypeError|RangeError|is no |is not an? (integer|address|one-dimensional)|invariant/

const DESCRIBED = [
  ...['charges', 'transfers', 'charge_ledgers', 'payouts', 'split_events', 'relayer_transactions'],
  ...['held_shares', 'expiry_verifications', 'deployments'],
]

/**
 * Makes the laws of one history (ARCHITECTURE.md, "Invariants"): those that hold at every moment, of which
 * some show best before a chain has its next block, and those that hold when everything has come to rest. Each answers
 * what is wrong, as sentences.
 *
 * | What must hold | at every moment | at rest |
 * |---|---|---|
 * | 1. received is what was credited, and what the chains paid | `findWrongSums`, `findEarly`, `findFalseCounts` | `findWrongCharges`, `findInventedRows` |
 * | 2. nothing is credited twice | `findMiscredited` | `findWrongCharges` |
 * | 3. paid in time never expires, unpaid never confirms | `findHastyEnds`, `findShallowVerification` | `findWrongCharges` |
 * | 4. every event reaches every endpoint, the same, in order | `findWrongTelling` | `findMissingTelling`, `findUntold` |
 * | 5. no funds are paid out twice, and completed is deep | `findUnbounded`, `findEarly`, `findHastySettlements`, `findFalseCounts`, `findFalseResults` | `findUnpaid` |
 * | 6. merchant and recipients get their frozen shares | | `findWrongShares`, `findUnpaid` |
 * | 7. nothing is another's, nor another environment's | `findWrongTelling`, `findMiscredited` | `findWrongCharges` |
 * | 8. everything has a bound | `findUnbounded`, `MAX_STEPS` | that there is a rest |
 *
 * The truth is the simulated chains, never what the service says of them.
 */
export function createInvariants(terms: InvariantContext) {
  const { database, history, alerts } = terms
  return {
    /** Of what a chain has at depth before it has one block more. */
    beforeBlock: async () => [
      ...(await findEarly(terms)),
      ...(await findShallowVerification(terms)),
      ...(await findHastySettlements(terms)),
      ...(await findHastyEnds(terms)),
      ...(await findFalseCounts(terms)),
      ...(await findFalseResults(terms)),
    ],
    always: async () => [
      ...alerts.filter((alert) => NEVER_TOLD.test(alert)).map((alert) => `a daemon told: ${alert}`),
      ...(await findWrongSums(terms)),
      ...(await findMiscredited(terms)),
      ...(await findFalseCounts(terms)),
      ...(await findHastyEnds(terms)),
      ...(await findUnbounded(terms)),
      ...(await findWrongTelling(terms)),
    ],
    atRest: async () => [
      ...(await findWrongCharges(terms)),
      ...(await findUnpaid(terms)),
      ...findWrongShares(terms),
      ...(await findMissingTelling(terms)),
      ...(await findUntold(terms)),
      ...(await findInventedRows(terms)),
    ],
    /** What the service has of charges, as lines: for whoever wants to know why a history failed. */
    describe: async () => {
      const lines: string[] = []
      for (const table of DESCRIBED)
        for (const row of await database.sql.unsafe(`select to_jsonb(t)::text as json from ${table} t`))
          lines.push(`${table} ${row['json']}`)
      return lines
    },
    /** Of what the service has at the end. */
    digest: async () => {
      const rows = await database.sql`
        select id, status, settlement_status, received_atto::text, confirmed_at, settled_at from charges order by id`
      const events = await database.sql`select id, seq, type, data from events order by number`
      const heads = [...history.scenes.values()].map(({ chain }) => chain.tip().hash)
      return createHash('sha256')
        .update(JSON.stringify([rows, events, heads]))
        .digest('hex')
    },
  }
}
