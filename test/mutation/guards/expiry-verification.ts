import type { Mutant } from '../mutant.ts'

const EVIDENCE = 'test/integration/reconciliation/expiry-verification.test.ts'
const ONE_WORD = 'test/integration/tron/tron-single-source.test.ts'
const TWO_SOURCES = 'test/integration/tron/tron-two-sources.test.ts'
const RECONCILE = 'test/integration/reconciliation/reconcile.test.ts'

/** Which facts need a second source before a charge expires, and how they are found. */
export const EVIDENCE_RULES: readonly Mutant[] = [
  {
    rule: 'the balance of a Safe is compared as well as that of its split',
    file: 'indexer/reconciliation/compare-balances.ts',
    take: 'isEscrow(charge) ? [charge.address, charge.splitAddress] : [charge.splitAddress]',
    put: '[charge.splitAddress]',
    test: { file: RECONCILE, title: 'finds a payment into a Safe by its balance if no scan has shown it' },
  },
  {
    rule: 'a balance that does not match our rows is a mismatch',
    file: 'indexer/reconciliation/compare-balances.ts',
    take: 'balance.foundAtomic === expectedAtomic ? []',
    put: 'balance.foundAtomic <= expectedAtomic + 10n ** 30n ? []',
    test: {
      file: EVIDENCE,
      title: 'blocks the expiry by a balance without logs, with one alert, until an operator gives a reason',
    },
  },
  {
    rule: 'a search covers the same time on a fast chain as on a slow one',
    file: 'indexer/reconciliation/block-ranges.ts',
    take: 'Math.floor(SPAN_MS / blockTimeMs)',
    put: 'MIN_BLOCKS_PER_RANGE',
    test: {
      file: 'test/unit/reconciliation/block-ranges.test.ts',
      title: 'cover an hour, the age of a charge, and a day, the period of its checks, on every network',
    },
  },
  {
    rule: 'a TRON block that is not solidified does not count as empty',
    file: 'indexer/corroboration/tron/solidified-source.ts',
    take: '    if (missing.length > 0) await require(toBlock)\n',
    put: '',
    test: {
      file: TWO_SOURCES,
      title: 'are not trusted about a block that the node has not solidified, which would appear empty',
    },
  },
  {
    rule: 'two sources are compared by content, not only by position',
    file: 'indexer/corroboration/find-unrecorded.ts',
    take: '[...identity, blockNumber, blockTimestamp, party, amountAtomic, isAccepted]',
    put: 'identity',
    test: {
      file: TWO_SOURCES,
      title: 'credit the amount on the chain if one of them reports another amount',
    },
  },
  {
    rule: 'the block time of a row is compared, too',
    file: 'indexer/corroboration/find-unrecorded.ts',
    take: '[...identity, blockNumber, blockTimestamp, party',
    put: '[...identity, party',
    test: {
      file: TWO_SOURCES,
      title: 'credit a payment as in time if it is so on the chain, though one of them reports it as late',
    },
  },
  {
    rule: 'an operator cannot expire a charge despite payments that were not shown to them',
    file: 'shared/db/charges/daemon/expiry-overrides.ts',
    take: "(${isDespiteUnconfirmed} or unconfirmed = '{}')",
    put: '(${isDespiteUnconfirmed} or unconfirmed is not null)',
    test: {
      file: TWO_SOURCES,
      title:
        'let a charge expire despite a payment that one of them invented, once an operator has confirmed it',
    },
  },
  {
    rule: 'the effects of a TRON transaction may have a long response',
    file: 'shared/chain/tron/tron-node.ts',
    take: 'post({ ...target(path), maxBytes: MAX_LONG_BYTES }, body)',
    put: 'post(target(path), body)',
    test: { file: ONE_WORD, title: 'covers a transaction with an unusually large number of logs' },
  },
  {
    rule: 'an expiry is verified at the block and time that a quorum shows',
    file: 'shared/db/chain-facts/daemon/expiry-verifications.ts',
    take: 'd.agreed_deep_number as number',
    put: 'd.confirmed_head_number as number',
    test: { file: EVIDENCE, title: 'reads no balance at a block that no quorum has at depth' },
  },
  {
    rule: 'the confirmed head is never above that of a quorum, even if the feed is',
    file: 'indexer/reconciliation/agree-on-confirmed-head.ts',
    take: 'deep.value.number <= feedNumber ? deep : await',
    put: 'deep.value.number < 0 ? deep : await',
    test: { file: EVIDENCE, title: 'reads no balance at a block that no quorum has at depth' },
  },
  {
    rule: 'the confirmed head is never above the block that the feed has applied',
    file: 'indexer/reconciliation/agree-on-confirmed-head.ts',
    take: 'deep.value.number <= feedNumber ? deep : await',
    put: 'deep.value.number >= 0 ? deep : await',
    test: { file: EVIDENCE, title: 'agrees on the confirmed head of a feed that is behind the quorum' },
  },
]
