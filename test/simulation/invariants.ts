import { createHash } from 'node:crypto'
import { findUnanswered, findWrongResponses } from './api/api-invariants.ts'
import { createClaimCheck, findUnfinishedClaims } from './claim-invariants.ts'
import { findMiscredited, findWrongCharges, findWrongSums, hasUnseenPayment } from './credit-invariants.ts'
import { findMissingTelling, findWrongTelling } from './delivery-invariants.ts'
import { findVanishedCharges } from './durability-invariants.ts'
import { findFalseEscrowRows, findWrongEscrows } from './escrow-invariants.ts'
import { findUntold } from './event-invariants.ts'
import type { InvariantContext } from './invariant-context.ts'
import { findUnbounded, findUnpaid, findWrongShares } from './payout-invariants.ts'
import { findFalseRefunds, findUnpaidRefunds, findWrongRefundSums } from './refund-invariants.ts'
import { findUnrepaired } from './repair-invariants.ts'
import { findFalseSimulations } from './sandbox-invariants.ts'
import { findWrongAuthorizations } from './signature-invariants.ts'
import { createSleepCheck } from './sleep-invariants.ts'
import { createStrikeCheck, findUnstruck } from './strike-invariants.ts'
import {
  findEarly,
  findHastyEnds,
  findHastySettlements,
  findShallowVerification,
} from './timing-invariants.ts'
import { findFalseCounts, findFalseOrphans, findFalseResults, findInventedRows } from './truth-invariants.ts'

/** Errors that only a bug in our code can cause, regardless of the injected faults. */
const NEVER_TOLD =
  /^(Uncaught|Quarantined|Rejected a transaction|Nonce was used|Feed is ahead)|TypeError|RangeError|is no |is not an? (integer|address|one-dimensional)|invariant/

const DESCRIBED = [
  ...['charges', 'transfers', 'charge_ledgers', 'payouts', 'split_events', 'relayer_transactions'],
  ...[
    'held_shares',
    'expiry_verifications',
    'deployments',
    'refunds',
    'refund_claims',
    'escrow_orders',
    'escrow_transfers',
    'escrow_end_checks',
    'strike_orders',
    'struck_rows',
  ],
]

/**
 * Creates the checks of one history's invariants (ARCHITECTURE.md, "Invariants"). Some invariants must hold at all
 * times; some of these are checked before each block, when their violations are easiest to detect. The others must hold
 * at rest, when no work is left. Each check returns its violations as sentences.
 *
 * | What must hold | at all times | at rest |
 * |---|---|---|
 * | 1. the received amount is the sum of the credits, and of the payments on the chains | `findWrongSums`, `findEarly`,
 * `findFalseCounts` | `findWrongCharges`, `findInventedRows`, `findFalseOrphans` |
 * | 2. no payment is credited twice | `findMiscredited` | `findWrongCharges` |
 * | 3. a charge paid in time never expires, an unpaid charge is never confirmed | `findHastyEnds`,
 * `findShallowVerification` | `findWrongCharges` |
 * | 4. every event reaches its endpoint, with the same bytes, in order | `findWrongTelling` | `findMissingTelling`,
 * `findUntold` |
 * | 5. no funds are paid out twice, and completed payouts are at confirmation depth | `findUnbounded`, `findEarly`,
 * `findHastySettlements`, `findFalseCounts`, `findFalseResults` | `findUnpaid` |
 * | 6. merchant and recipients get their frozen shares | | `findWrongShares`, `findUnpaid` |
 * | 7. no data crosses organizations or environments | `findWrongTelling`, `findMiscredited`, `findWrongResponses` |
 * `findWrongCharges` |
 * | an idempotency key creates only one charge, which every later read returns with the same terms, and every later
 * walk through all pages lists exactly once | `findWrongResponses` | `findUnanswered` |
 * | the counted and open refunds of a charge total at most the amount credited in their pair, and each confirmed refund
 * is paid by its own transfer | `findWrongRefundSums`, `findFalseRefunds` | `findUnpaidRefunds` |
 * | the destination of a refund that its payer names came from them through a link that was not replaced, was approved
 * by the merchant, and never changes; an accepted address is kept | `findWrongClaims` | `findUnfinishedClaims` |
 * | simulated payments are credited only to simulated charges, at most once per trigger | `findFalseSimulations` | |
 * | an escrow's rows agree with the chains, its money goes only to its parties, and it ends once |
 * `findFalseEscrowRows` | `findWrongEscrows`, `listUnfinishedOrders` |
 * | an authorization is used once, and ends as the chain shows | | `findWrongAuthorizations` |
 * | a row that is on the chain is never struck, and a struck row counts in no sum | `findFalseStrikes` |
 * `findUnstruck`, `findWrongCharges` |
 * | a network with an open charge or unfinished work does not sleep | `findSleepOverWork` | |
 * | an order to repair a feed is carried out or rejected, and no charge stays quarantined | | `findUnrepaired` |
 * | a charge whose creation returned 201 is kept | `findVanishedCharges` | |
 * | 8. attempts and queues are bounded | `findUnbounded`, `MAX_STEPS` | the history comes to rest |
 *
 * The expected values come from the simulated chains, never from the service's records of the chains.
 */
export function createInvariants(terms: InvariantContext) {
  const { database, history, alerts, expectedAlerts, api } = terms
  const findSleepOverWork = createSleepCheck(terms)
  const findFalseStrikes = createStrikeCheck(terms)
  const findWrongClaims = createClaimCheck(terms)
  return {
    /** Checks that depend on the chain's confirmed head before the next block. */
    beforeBlock: async () => [
      ...(await findEarly(terms)),
      ...(await findShallowVerification(terms)),
      ...(await findHastySettlements(terms)),
      ...(await findHastyEnds(terms)),
      ...(await findFalseCounts(terms)),
      ...(await findFalseResults(terms)),
      ...(await findFalseStrikes()),
    ],
    always: async () => [
      ...alerts
        .filter((alert) => NEVER_TOLD.test(alert) && !expectedAlerts.test(alert))
        .map((alert) => `a process logged the error: ${alert}`),
      ...(await findVanishedCharges(terms)),
      ...(await findWrongSums(terms)),
      ...(await findMiscredited(terms)),
      ...(await findFalseCounts(terms)),
      ...(await findHastyEnds(terms)),
      ...(await findUnbounded(terms)),
      ...(await findWrongRefundSums(terms)),
      ...(await findFalseSimulations(terms)),
      ...(await findFalseRefunds(terms)),
      ...(await findWrongClaims()),
      ...(await findWrongTelling(terms)),
      ...(await findFalseEscrowRows(terms)),
      ...(await findSleepOverWork()),
      ...findWrongResponses(api),
    ],
    atRest: async () => [
      ...findUnanswered(api),
      ...(await findWrongCharges(terms)),
      ...(await findUnpaid(terms)),
      ...findWrongShares(terms),
      ...(await findMissingTelling(terms)),
      ...(await findUntold(terms)),
      ...(await findInventedRows(terms)),
      ...(await findFalseOrphans(terms)),
      ...(await findUnstruck(terms)),
      ...(await findUnrepaired(terms)),
      ...(await findUnpaidRefunds(terms)),
      ...(await findUnfinishedClaims(terms)),
      ...(await findWrongEscrows(terms)),
      ...(await findWrongAuthorizations(terms)),
      ...terms.listUnfinishedOrders(),
    ],
    hasUnseenPayment: () => hasUnseenPayment(terms),
    /** Returns the service's rows as lines, to find out why a history failed. */
    describe: async () => {
      const lines: string[] = []
      for (const table of DESCRIBED)
        for (const row of await database.sql.unsafe(`select to_jsonb(t)::text as json from ${table} t`))
          lines.push(`${table} ${row['json']}`)
      return lines
    },
    /** Returns a hash of the service's charges, events and refunds, and of the heads of the chains. */
    digest: async () => {
      const rows = await database.sql`
        select id, status, settlement_status, received_atto::text, confirmed_at, settled_at from charges order by id`
      const events = await database.sql`select id, seq, type, data from events order by number`
      const refunds =
        await database.sql`select id, status, counted_atomic::text, tx_hash from refunds order by id`
      const heads = [...history.scenes.values()].map(({ chain }) => chain.tip().hash)
      return createHash('sha256')
        .update(JSON.stringify([rows, events, refunds, heads]))
        .digest('hex')
    },
  }
}
