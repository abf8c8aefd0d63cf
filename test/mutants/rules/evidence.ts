import type { Mutant } from '../mutant.ts'

const EVIDENCE = 'test/integration/reconciliation/evidence.test.ts'
const ACCOUNTS = 'test/unit/reconciliation/second-account.test.ts'
const ONE_WORD = 'test/integration/tron/tron-one-word.test.ts'
const TWO_SOURCES = 'test/integration/tron/tron-two-sources.test.ts'
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
  {
    rule: 'what the feed alone shows counts for nothing where nodes have a second API',
    file: 'shared/db/chain-facts/daemon/at-depth.ts',
    take: '${isUnderHead(db, alias)} and ${isFeedEnough(db)}',
    put: '${isUnderHead(db, alias)}',
    test: {
      file: TWO_SOURCES,
      title: 'credit nothing that the feed alone shows, until the other shows it',
    },
  },
  {
    rule: 'on TRON reconciliation reads another API than the feed',
    file: 'indexer/reconciliation/families.ts',
    take: 'sourceOf: createSolidSource',
    put: 'sourceOf: createLogSource',
    test: {
      file: TWO_SOURCES,
      title: 'credit a payment whose logs the one has lost, because the other has them',
    },
  },
  {
    rule: 'a check records nothing that one of two APIs has made up',
    file: 'indexer/reconciliation/confirm-receipts.ts',
    take: 'if (!FAMILIES[family].isConfirmedApart) return receipts',
    put: 'if (FAMILIES[family].isPayable) return receipts',
    test: {
      file: TWO_SOURCES,
      title: 'let a check on request record nothing that one of them has made up',
    },
  },
  {
    rule: 'a block of TRON that is not solid is not believed to be empty',
    file: 'indexer/reconciliation/tron/solid-source.ts',
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
    file: 'indexer/reconciliation/find-unknown.ts',
    take: '[...identity, blockNumber, blockTimestamp, party, amountAtomic, isAccepted]',
    put: 'identity',
    test: { file: TWO_SOURCES, title: 'credit what the chain paid, where one of them says another amount' },
  },
  {
    rule: 'one node’s word counts for nothing against another’s',
    file: 'indexer/reconciliation/second-account.ts',
    take: '(alike === 1 && told.length === 1)',
    put: 'alike === 1',
    test: { file: ACCOUNTS, title: 'does not count by the word of one against one who denies it' },
  },
  {
    rule: 'what two nodes tell of another time is not the same',
    file: 'indexer/reconciliation/second-account.ts',
    take: ' && left.blockTimestamp === right.blockTimestamp',
    put: '',
    test: { file: ACCOUNTS, title: 'does not count by the word of one against one who tells another time' },
  },
  {
    rule: 'a node that has not come as far denies nothing',
    file: 'indexer/reconciliation/second-account.ts',
    take: 'if (number >= blockNumber) return null',
    put: 'if (number > 0) return null',
    test: {
      file: ACCOUNTS,
      title: 'is not denied by a node that knows nothing of it and has not come as far',
    },
  },
  {
    rule: 'when a row says that it was paid is compared, too',
    file: 'indexer/reconciliation/find-unknown.ts',
    take: '[...identity, blockNumber, blockTimestamp, party',
    put: '[...identity, party',
    test: {
      file: TWO_SOURCES,
      title: 'credit a payment in time that the chain has in time, where one of them says that it was late',
    },
  },
  {
    rule: 'what counts for nothing explains no balance of a charge that is to end',
    file: 'shared/db/chain-facts/daemon/expected-balances.ts',
    take: '(${withDoubted} or r.credited_at is not null',
    put: '(${withDoubted || true} or r.credited_at is not null',
    test: {
      file: TWO_SOURCES,
      title: 'explain no balance of a charge that is to end by what one of them has made up',
    },
  },
  {
    rule: 'a distribution that counts for nothing stops no payout for long',
    file: 'shared/db/payouts/daemon/due-payouts.ts',
    take: "\n          and not ${isLongDoubted(db, 'e', query.now)} offset 0",
    put: ' offset 0',
    test: {
      file: TWO_SOURCES,
      title: 'stop a payout for ten minutes at most by a distribution that one of them has made up',
    },
  },
  {
    rule: 'an operator ends no charge over payments of which he was not told',
    file: 'shared/db/charges/daemon/expiry-orders.ts',
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
    rule: 'what was read is recorded, though another could not be',
    file: 'indexer/reconciliation/scan-charges.ts',
    take: '      failures.set(hash, error as Error)\n      return null',
    put: '      throw error',
    test: { file: ONE_WORD, title: 'is recorded of one payment though it cannot be had of another' },
  },
  {
    rule: 'one node alone makes no payment',
    file: 'indexer/reconciliation/scan-charges.ts',
    take: "if (verdict === 'alike') sure.push(receipt)",
    put: "if (verdict !== 'unknown') sure.push(receipt)",
    test: { file: ONE_WORD, title: 'makes no payment of a transaction that nobody sent, and is told of' },
  },
  {
    rule: 'beside another node none may have lost its logs',
    file: 'indexer/reconciliation/second-account.ts',
    take: 'mayHaveLostLogs: false',
    put: 'mayHaveLostLogs: feedHasNone',
    test: { file: ONE_WORD, title: 'makes none of a transaction that is there and has logged nothing' },
  },
  {
    rule: 'a mark is lost with what it was given to',
    file: 'shared/db/chain-facts/daemon/transfers.ts',
    take: 'then transfers.deep_block_hash end',
    put: 'then transfers.deep_block_hash else transfers.deep_block_hash end',
    test: {
      file: ONE_WORD,
      title: 'keeps no mark when the feed says another amount of the same payment since',
    },
  },
  {
    rule: 'of TRON what is solid at every node is read, and no more',
    file: 'indexer/reconciliation/find-scan-end.ts',
    take: 'Math.min(number, ...followed.map((end) => end.number))',
    put: 'number',
    test: {
      file: ONE_WORD,
      title: 'is waited for while its other API is some blocks behind, and nothing fails',
    },
  },
]
