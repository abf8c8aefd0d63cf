import type { Mutant } from '../mutant.ts'

const EVIDENCE = 'test/integration/reconciliation/expiry-verification.test.ts'
const ONE_WORD = 'test/integration/tron/tron-single-source.test.ts'
const TWO_SOURCES = 'test/integration/tron/tron-two-sources.test.ts'
const RECONCILE = 'test/integration/reconciliation/reconcile.test.ts'

/** Which facts need a second source before a charge expires, and how they are found. */
export const EXPIRY_VERIFICATION_RULES: readonly Mutant[] = [
  {
    rule: 'the balance of a Safe is compared as well as the balance of its split',
    at: 'indexer/reconciliation/compare-balances.ts#listComparedBalances',
    take: 'isEscrow(charge) ? [charge.address, charge.splitAddress] : [charge.splitAddress]',
    put: '[charge.splitAddress]',
    test: { file: RECONCILE, title: 'finds a payment into a Safe by the Safe’s balance if no scan has' },
  },
  {
    rule: 'a balance that differs from our rows blocks the expiry',
    at: 'indexer/reconciliation/compare-balances.ts#diffBalances',
    take: 'balance.foundAtomic === expectedAtomic ? []',
    put: 'balance.foundAtomic <= expectedAtomic + 10n ** 30n ? []',
    test: { file: EVIDENCE, title: 'blocks the expiry, with one alert, while no log explains a balance,' },
  },
  {
    rule: 'a search covers the same time on every chain, regardless of the block time',
    at: 'indexer/reconciliation/block-ranges.ts#getBlocksPerRange',
    take: 'Math.floor(SPAN_MS / blockTimeMs)',
    put: 'MIN_BLOCKS_PER_RANGE',
    test: {
      file: 'test/unit/reconciliation/block-ranges.test.ts',
      title: 'covers an hour and 25 hours within the allowed number of ranges on every network',
    },
  },
  {
    rule: 'a TRON block that is not solidified does not count as empty',
    at: 'indexer/corroboration/tron/solidified-source.ts#createBlocks',
    take: 'if (missing.length > 0) await require(toBlock)',
    put: '',
    test: { file: TWO_SOURCES, title: 'are not trusted about a block that the node has not solidified' },
  },
  {
    rule: 'two sources are compared by content, not only by position',
    at: 'indexer/corroboration/find-unrecorded.ts#textOf',
    take: '[positionOf(row), row.blockNumber, row.blockTimestamp, contentOf(row)]',
    put: '[positionOf(row)]',
    test: { file: TWO_SOURCES, title: 'credit the amount on the chain if one API reports' },
  },
  {
    rule: 'the block time of a row is compared, too',
    at: 'indexer/corroboration/find-unrecorded.ts#textOf',
    take: 'row.blockTimestamp, contentOf(row)]',
    put: 'contentOf(row)]',
    test: {
      file: TWO_SOURCES,
      title: 'credit a payment as in time even if one API wrongly reports it as late',
    },
  },
  {
    rule: 'an operator’s order lets a charge with unconfirmed payments expire only if it states that they were not made',
    at: 'shared/db/charges/daemon/expiry-overrides.ts#insertExpiryOverride',
    take: "(${isDespiteUnconfirmed} or unconfirmed = '{}')",
    put: '(${isDespiteUnconfirmed} or unconfirmed is not null)',
    test: { file: TWO_SOURCES, title: 'let a charge expire despite a payment that one API invented,' },
  },
  {
    rule: 'the effects of a TRON transaction have a higher maximum length than other responses',
    at: 'shared/chain/tron/tron-node.ts#createTronNode',
    take: 'post({ ...target(path), maxBytes: MAX_LONG_BYTES }, body)',
    put: 'post(target(path), body)',
    test: { file: ONE_WORD, title: 'confirms a payment even if the effects of its transaction exceed 1 MiB' },
  },
  {
    rule: 'an expiry is verified at the block and time that a quorum shows',
    at: 'shared/db/chain-facts/daemon/expiry-verifications.ts#findExpiryReadPosition',
    take: 'd.agreed_head_number as number',
    put: 'd.confirmed_head_number as number',
    test: { file: EVIDENCE, title: 'reads balances only at a block that a quorum has at' },
  },
  {
    rule: 'the confirmed head is never above a quorum’s confirmed head, even if the feed’s is',
    at: 'indexer/reconciliation/agree-on-confirmed-head.ts#agreeOnConfirmedHead',
    take: 'deep.value.number <= feedNumber ? deep : await',
    put: 'deep.value.number < 0 ? deep : await',
    test: { file: EVIDENCE, title: 'reads balances only at a block that a quorum has at' },
  },
  {
    rule: 'the confirmed head is never above the block that the feed has applied',
    at: 'indexer/reconciliation/agree-on-confirmed-head.ts#agreeOnConfirmedHead',
    take: 'deep.value.number <= feedNumber ? deep : await',
    put: 'deep.value.number >= 0 ? deep : await',
    test: { file: EVIDENCE, title: 'reads balances at the feed’s confirmed head if the feed is behind' },
  },
]
