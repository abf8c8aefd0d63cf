import type { Mutant } from '../mutant.ts'

const EVIDENCE = 'test/integration/reconciliation/expiry-verification.test.ts'
const ONE_WORD = 'test/integration/tron/tron-single-source.test.ts'
const TWO_SOURCES = 'test/integration/tron/tron-two-sources.test.ts'
const RECONCILE = 'test/integration/reconciliation/reconcile.test.ts'

/** What must be known from elsewhere than the feed before a charge ends, and how it is found. */
export const EVIDENCE_RULES: readonly Mutant[] = [
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
    rule: 'a search reaches back as far on a quick chain as on a slow one',
    file: 'indexer/reconciliation/block-ranges.ts',
    take: 'Math.floor(SPAN_MS / blockTimeMs)',
    put: 'MIN_BLOCKS_PER_RANGE',
    test: {
      file: 'test/unit/reconciliation/block-ranges.test.ts',
      title: 'reaches back over the hour of a charge, and the day that it is looked at, on every network',
    },
  },
  {
    rule: 'a block of TRON that is not solid is not believed to be empty',
    file: 'indexer/corroboration/tron/solidified-source.ts',
    take: '    if (missing.length > 0) await require(toBlock)\n',
    put: '',
    test: {
      file: TWO_SOURCES,
      title:
        'are believed of no block that is not solid at the node, where it would say that nothing is in it',
    },
  },
  {
    rule: 'what two sources say is compared, not only where it stands',
    file: 'indexer/corroboration/find-unrecorded.ts',
    take: '[...identity, blockNumber, blockTimestamp, party, amountAtomic, isAccepted]',
    put: 'identity',
    test: { file: TWO_SOURCES, title: 'credit what the chain paid, where one of them says another amount' },
  },
  {
    rule: 'when a row says that it was paid is compared, too',
    file: 'indexer/corroboration/find-unrecorded.ts',
    take: '[...identity, blockNumber, blockTimestamp, party',
    put: '[...identity, party',
    test: {
      file: TWO_SOURCES,
      title: 'credit a payment in time that the chain has in time, where one of them says that it was late',
    },
  },
  {
    rule: 'an operator ends no charge over payments of which he was not told',
    file: 'shared/db/charges/daemon/expiry-overrides.ts',
    take: "(${isDespiteUnconfirmed} or unconfirmed = '{}')",
    put: '(${isDespiteUnconfirmed} or unconfirmed is not null)',
    test: {
      file: TWO_SOURCES,
      title: 'let a charge end that one of them has made up a payment for, once an operator has seen it',
    },
  },
  {
    rule: 'what a transaction of TRON did may be long',
    file: 'shared/chain/tron/tron-node.ts',
    take: 'post({ ...target(path), maxBytes: MAX_LONG_BYTES }, body)',
    put: 'post(target(path), body)',
    test: { file: ONE_WORD, title: 'is had of a transaction that did more than most' },
  },
  {
    rule: 'evidence is gathered at the block and time that a quorum shows',
    file: 'shared/db/chain-facts/daemon/expiry-verifications.ts',
    take: 'd.agreed_deep_number as number',
    put: 'd.deep_number as number',
    test: { file: EVIDENCE, title: 'reads no balance at a block that no quorum has at depth' },
  },
  {
    rule: 'the deep block is not above the one that a quorum has, wherever the feed is',
    file: 'indexer/reconciliation/agree-on-confirmed-head.ts',
    take: 'deep.value.number <= feedNumber ? deep : await',
    put: 'deep.value.number < 0 ? deep : await',
    test: { file: EVIDENCE, title: 'reads no balance at a block that no quorum has at depth' },
  },
  {
    rule: 'the deep block is not above the one that the feed has applied',
    file: 'indexer/reconciliation/agree-on-confirmed-head.ts',
    take: 'deep.value.number <= feedNumber ? deep : await',
    put: 'deep.value.number >= 0 ? deep : await',
    test: { file: EVIDENCE, title: 'agrees on the deep block of a feed that is behind the quorum' },
  },
]
