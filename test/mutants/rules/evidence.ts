import type { Mutant } from '../mutant.ts'

const EVIDENCE = 'test/integration/reconciliation/evidence.test.ts'
const RECONCILE = 'test/integration/reconciliation/reconcile.test.ts'

/** What must be known from elsewhere than the feed before a charge ends, and how it is found. */
export const EVIDENCE_RULES: readonly Mutant[] = [
  {
    rule: 'balances are read from a second node where there is one',
    file: 'indexer/reconciliation/balance-reader.ts',
    take: 'const ANSWERS = 2',
    put: 'const ANSWERS = 1',
    test: {
      file: EVIDENCE,
      title: 'waits half a minute for a second node, and takes the word of one after that',
    },
  },
  {
    rule: 'of several balances the highest counts',
    file: 'indexer/reconciliation/balance-reader.ts',
    take: 'left.foundAtomic < right.foundAtomic ? 1 : -1',
    put: 'left.foundAtomic < right.foundAtomic ? -1 : 1',
    test: { file: EVIDENCE, title: 'believes the one that has the payment, not the one that has nothing' },
  },
  {
    rule: 'balances are read at a block that is the feed’s',
    file: 'indexer/reconciliation/node-balances.ts',
    take: '      if (Number(timestamp) !== block.timestamp) return null\n',
    put: '',
    test: { file: EVIDENCE, title: 'believes none whose block is another than our feed’s' },
  },
  {
    rule: 'a Safe is compared as well as its split',
    file: 'indexer/reconciliation/compare-balances.ts',
    take: 'isEscrow(charge) ? [charge.address, charge.splitAddress] : [charge.splitAddress]',
    put: '[charge.splitAddress]',
    test: { file: RECONCILE, title: 'finds by its balance what a Safe got and no scan has shown' },
  },
  {
    rule: 'a balance that our rows do not explain is a difference',
    file: 'indexer/reconciliation/compare-balances.ts',
    take: 'balance.foundAtomic === expectedAtomic ? []',
    put: 'balance.foundAtomic <= expectedAtomic + 10n ** 30n ? []',
    test: {
      file: EVIDENCE,
      title: 'holds open what no log explains, with one alert, until an operator says why it may end',
    },
  },
  {
    rule: 'an empty range is confirmed by a second node',
    file: 'indexer/reconciliation/scan-charges.ts',
    take: 'const ANSWERS = 2',
    put: 'const ANSWERS = 1',
    test: { file: RECONCILE, title: 'has an empty range confirmed by a second node' },
  },
  {
    rule: 'a search reaches back as far on a quick chain as on a slow one',
    file: 'indexer/reconciliation/ranges-since.ts',
    take: 'Math.floor(SPAN_MS / blockTimeMs)',
    put: 'LEAST_BLOCKS_PER_RANGE',
    test: {
      file: 'test/unit/reconciliation/ranges-since.test.ts',
      title: 'reaches back over the hour of a charge, and the day that it is looked at, on every network',
    },
  },
]
