import type { Mutant } from '../mutant.ts'

const OLD = 'test/integration/reconciliation/old-charges.test.ts'
const NEXT = 'test/property/next-comparison.test.ts'
const COMPARE = 'indexer/reconciliation/compare-old-charges.ts'

/** How movements of money are found at charges that have left the range scans. */
export const OLD_CHARGE_RULES: readonly Mutant[] = [
  {
    rule: 'a charge with an amount to pay out is compared every hour',
    file: 'indexer/reconciliation/next-comparison.ts',
    take: '  if (isUrgent) return { dueAt: new Date(comparedMs + Math.ceil(part * URGENT_MS)), span: URGENT_SPAN }\n',
    put: '',
    test: { file: NEXT, title: 'is due within an hour if the charge is urgent, however old it is' },
  },
  {
    rule: 'between two comparisons the age of a charge grows at most by its family’s factor',
    file: 'indexer/reconciliation/next-comparison.ts',
    take: 'ageMs * growth ** part',
    put: 'ageMs * growth ** (2 * part)',
    test: { file: NEXT, title: 'is due within the interval if the charge was never compared' },
  },
  {
    rule: 'due times are spread by the ids of charges',
    file: 'indexer/reconciliation/next-comparison.ts',
    take: 'isFirst ? partOf(chargeId) : 1',
    put: '1',
    test: { file: OLD, title: 'is not delayed by an upgrade or a busy day, because due times are spread' },
  },
  {
    rule: 'a charge with recent activity is scanned again',
    file: 'shared/db/chain-facts/reconciliations.ts',
    take: 'and c.last_activity_at > ${recentAt}',
    put: 'and false',
    test: { file: OLD, title: 'is scanned again for 25 hours after new activity' },
  },
  {
    rule: 'a held escrow is compared every hour',
    file: 'shared/db/chain-facts/daemon/urgent-charges.ts',
    take: 'c.received_atto > 0',
    put: 'false',
    test: { file: OLD, title: 'its escrow holds money' },
  },
  {
    rule: 'an unfinished settlement is compared every hour',
    file: 'shared/db/chain-facts/daemon/urgent-charges.ts',
    take: "c.settlement_status in ('pending', 'failed')",
    put: 'false',
    test: { file: OLD, title: 'its settlement is' },
  },
  {
    rule: 'an open payout is compared every hour',
    file: 'shared/db/chain-facts/daemon/urgent-charges.ts',
    take: "p.status <> 'completed'",
    put: 'false',
    test: { file: OLD, title: 'a payout of it is' },
  },
  {
    rule: 'a held share is compared every hour',
    file: 'shared/db/chain-facts/daemon/urgent-charges.ts',
    take: 'h.held_atomic > 0',
    put: 'false',
    test: { file: OLD, title: 'its split holds a share' },
  },
  {
    rule: 'logs are searched even if balances match',
    file: COMPARE,
    take: '    await end(batch.filter(isSearched), null)\n    return batch.filter((one) => !isSearched(one))',
    put: '    await end(batch, null)\n    return []',
    test: {
      file: OLD,
      title: 'a late payment distributed by a keeper, finds both though no balance shows them',
    },
  },
  {
    rule: 'a balance counts as compared only with a quorum',
    file: COMPARE,
    take: '!reading.unread.has(id)',
    put: 'id.length > 0',
    test: { file: OLD, title: 'stays due while two nodes contradict each other on its balance' },
  },
  {
    rule: 'a range is searched only if a quorum reports each listed transaction',
    file: 'indexer/reconciliation/search-batch.ts',
    take: '  if (isUnsure) return { batch, isUnsure }\n',
    put: '',
    test: { file: OLD, title: 'is compared though a node invents a payment for another charge of its batch' },
  },
  {
    rule: 'a comparison stays due if its nodes serve no logs',
    file: COMPARE,
    take: ' && one.searchedNumber <= one.targetNumber',
    put: '',
    test: { file: OLD, title: 'stays due while nodes serve no logs' },
  },
  {
    rule: 'an interrupted search resumes at its position',
    file: 'shared/db/chain-facts/daemon/charge-comparisons.ts',
    take: 'and k.searched_number = s."beforeNumber"',
    put: 'and false',
    test: { file: OLD, title: 'continues its search where a daemon was killed' },
  },
  {
    rule: 'a mismatch that the search does not explain raises an alert',
    file: COMPARE,
    take: '      tell.unexplained(difference, block)\n',
    put: '',
    test: { file: OLD, title: 'has an unexplained mismatch reported once' },
  },
]
