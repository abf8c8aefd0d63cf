import type { Mutant } from '../mutant.ts'

const OLD = 'test/integration/reconciliation/old-charges.test.ts'
const NEXT = 'test/property/next-comparison.test.ts'

/** How movements of money are found for charges that are no longer in the range scans. */
export const OLD_CHARGE_RULES: readonly Mutant[] = [
  {
    rule: 'a charge with an amount to pay out is compared every hour',
    at: 'indexer/reconciliation/next-comparison.ts#scheduleComparison',
    take: 'if (isUrgent) return { dueAt: new Date(comparedMs + Math.ceil(part * URGENT_MS)), span: URGENT_SPAN }',
    put: '',
    test: { file: NEXT, title: 'is due within an hour if the charge is urgent, however old it is' },
  },
  {
    rule: 'between two comparisons the age of a charge grows at most by its family’s factor',
    at: 'indexer/reconciliation/next-comparison.ts#scheduleComparison',
    take: 'ageMs * growth ** part',
    put: 'ageMs * growth ** (2 * part)',
    test: {
      file: NEXT,
      title: 'is due within the interval if the charge was never compared, so that no transfer waits longer',
    },
  },
  {
    rule: 'the first comparisons of charges are spread by the ids of the charges',
    at: 'indexer/reconciliation/next-comparison.ts#scheduleComparison',
    take: 'isFirst ? partOf(chargeId) : 1',
    put: '1',
    test: { file: OLD, title: 'is not compared together with hundreds of charges of the same age' },
  },
  {
    rule: 'a charge with recent activity is scanned again',
    at: 'shared/db/chain-facts/reconciliations.ts#listReconciledCharges',
    take: 'and c.last_activity_at > ${recentAt}',
    put: 'and false',
    test: { file: OLD, title: 'is scanned again after new activity' },
  },
  {
    rule: 'a held escrow is compared every hour',
    at: 'shared/db/chain-facts/daemon/urgent-charges.ts#isUrgent',
    take: 'c.received_atto > 0',
    put: 'false',
    test: { file: OLD, title: 'is compared every hour while its escrow holds money' },
  },
  {
    rule: 'an unfinished settlement is compared every hour',
    at: 'shared/db/chain-facts/daemon/urgent-charges.ts#isUrgent',
    take: "c.settlement_status in ('pending', 'failed')",
    put: 'false',
    test: { file: OLD, title: 'is compared every hour while its settlement is' },
  },
  {
    rule: 'an open payout is compared every hour',
    at: 'shared/db/chain-facts/daemon/urgent-charges.ts#isUrgent',
    take: "p.status <> 'completed'",
    put: 'false',
    test: { file: OLD, title: 'is compared every hour while one of its payouts is' },
  },
  {
    rule: 'a held share is compared every hour',
    at: 'shared/db/chain-facts/daemon/urgent-charges.ts#isUrgent',
    take: 'h.held_atomic > 0',
    put: 'false',
    test: { file: OLD, title: 'is compared every hour while its split holds a share' },
  },
  {
    rule: 'logs are searched even if balances match',
    at: 'indexer/reconciliation/compare-old-charges.ts#createOldChargeComparison',
    take: 'await end(batch.filter(isSearched), null) return batch.filter((one) => !isSearched(one))',
    put: 'await end(batch, null)\nreturn []',
    test: { file: OLD, title: 'is credited with a late payment that a keeper distributed' },
  },
  {
    rule: 'a balance counts as compared only with a quorum',
    at: 'indexer/reconciliation/compare-old-charges.ts#createOldChargeComparison',
    take: '!reading.unread.has(id)',
    put: 'id.length > 0',
    test: { file: OLD, title: 'stays due for comparison while two nodes return different balances' },
  },
  {
    rule: 'a range counts as searched only if a quorum reports each listed transaction',
    at: 'indexer/reconciliation/search-batch.ts#searchRange',
    take: 'if (isUnsure) return { batch, isUnsure }',
    put: '',
    test: {
      file: OLD,
      title: 'is compared even if no quorum confirms a payment of another charge in its batch',
    },
  },
  {
    rule: 'a range with a mismatch counts as searched only if a quorum lists its logs',
    at: 'indexer/reconciliation/scan-charges.ts#listLogs',
    take: 'hasQuorum(responses, getQuorumRule(sources.scanners))',
    put: 'responses.reports.length > 0',
    test: {
      file: OLD,
      title: 'with a mismatch does not count as searched while one of two nodes serves no logs',
    },
  },
  {
    rule: 'a payment that one node lists is recorded even if the range does not count as searched',
    at: 'indexer/reconciliation/scan-charges.ts#scanCharges',
    take: 'const { reports, operators, shortage } = await listLogs(deps, scan)',
    put: 'const { reports, operators, shortage } = await listLogs(deps, scan); if (shortage !== null) throw shortage',
    test: {
      file: OLD,
      title: 'with a mismatch does not count as searched while one of two nodes serves no logs',
    },
  },
  {
    rule: 'a comparison stays due if its nodes serve no logs',
    at: 'indexer/reconciliation/compare-old-charges.ts#createOldChargeComparison',
    take: '&& one.searchedNumber <= one.targetNumber',
    put: '',
    test: { file: OLD, title: 'stays due for comparison while nodes serve no logs' },
  },
  {
    rule: 'an interrupted search resumes at its position',
    at: 'shared/db/chain-facts/daemon/charge-comparisons.ts#recordSearched',
    take: 'and k.searched_number = s."beforeNumber"',
    put: 'and false',
    test: { file: OLD, title: 'is searched from the block where a killed daemon stopped' },
  },
  {
    rule: 'a mismatch that the search does not explain raises an alert',
    at: 'indexer/reconciliation/compare-old-charges.ts#createOldChargeComparison',
    take: 'tell.unexplained(difference, block)',
    put: '',
    test: { file: OLD, title: 'is reported only once if the search does not explain its mismatch' },
  },
  {
    rule: 'a range that could not be read because of a budget is not skipped',
    at: 'indexer/reconciliation/compare-old-charges.ts#createOldChargeComparison',
    take: 'isOverBudget(error.cause)',
    put: 'error.cause === deps',
    test: { file: OLD, title: 'no matter how often a node demands fewer requests' },
  },
]
