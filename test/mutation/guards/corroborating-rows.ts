import type { Mutant } from '../mutant.ts'

const ROWS = 'test/integration/corroboration/corroborate-rows.test.ts'
const VERIFIED = 'test/integration/corroboration/verify-rows.test.ts'
const EFFECTS = 'test/unit/corroboration/query-effects-quorum.test.ts'
const RESTS = 'test/unit/corroboration/rest-list.test.ts'
const SNAPSHOT = 'test/integration/chain-feed/apply-snapshot.test.ts'
const MARKS = 'test/integration/db/agreed-marks.test.ts'
const PAYOUTS = 'test/integration/payouts/payout-worker.test.ts'

/** Rules for corroborated rows: which rows are corroborated, when they count, and which changes end this. */
export const CORROBORATING_ROWS_RULES: readonly Mutant[] = [
  ...(
    [
      ['block hash', 'toText', '[txHash, blockHash', '[txHash'],
      ['block number', 'toText', 'blockNumber, blockTimestamp, ...ours', 'blockTimestamp, ...ours'],
      ['log index', 'logToText', '[logIndex, address', '[address'],
      ['token', 'logToText', 'logIndex, address', 'logIndex'],
      ['sender or recipient', 'logToText', '...topics', 'topics[0]'],
    ] as const
  ).map(
    ([what, name, take, put]): Mutant => ({
      rule: `receipts that differ in the ${what} contradict each other`,
      ...{ at: `indexer/corroboration/query-effects.ts#${name}`, take, put },
      test: { file: EFFECTS, title: 'is undecided while two nodes differ in the' },
    }),
  ),
  {
    rule: 'a failed transaction has paid no amount',
    at: 'indexer/corroboration/log-source.ts#createLogSource',
    take: "if (receipt.status !== 'success') return null",
    put: "if (receipt.status === 'pending') return null",
    test: { file: 'test/unit/corroboration/log-source.test.ts', title: 'has no effects if it failed' },
  },
  {
    rule: 'the pause before a transaction without a quorum is queried again equals the time that it has already waited',
    at: 'indexer/corroboration/rest-list.ts#createRestList',
    take: 'Math.max(FIRST_REST_MS, nowMs - sinceMs)',
    put: 'FIRST_REST_MS',
    test: {
      file: RESTS,
      title:
        'pauses a transaction for the time since it was first noted, at least a second and at most a minute',
    },
  },
  {
    rule: 'a corroborated row counts only once its block is at confirmation depth',
    at: 'shared/db/chain-facts/daemon/at-depth.ts#atDepth',
    take: 'and coalesce(${row}.corroborated_block_hash = ${row}.block_hash, false)',
    put: '',
    test: { file: ROWS, title: 'credits a payment only once a quorum shows it at depth' },
  },
  {
    rule: 'a row of a trusted node counts only while the override is active',
    at: 'shared/db/chain-facts/daemon/at-depth.ts#hasVotes',
    take: 'and n.ends_at > now())',
    put: ')',
    test: { file: VERIFIED, title: 'needs a quorum once the trust in the node' },
  },
  {
    rule: 'a row whose votes are no longer sufficient does not count',
    at: 'shared/db/chain-facts/daemon/at-depth.ts#hasVotes',
    take: 'cardinality(${row}.agreed_by) >= (',
    put: 'cardinality(${row}.agreed_by) >= 0 * (',
    test: { file: VERIFIED, title: 'needs the larger quorum if the quorum is raised before' },
  },
  {
    rule: 'a row whose votes are no longer sufficient is queried again',
    at: 'shared/db/chain-facts/daemon/uncorroborated.ts#listUncorroborated',
    take: "${isAgreed(db, 'r')} and ${hasVotes(db, 'r')} as is_agreed",
    put: "${isAgreed(db, 'r')} as is_agreed",
    test: { file: VERIFIED, title: 'needs a quorum once the trust in the node' },
  },
  {
    rule: 'a quorum replaces votes that are no longer sufficient',
    at: 'shared/db/chain-facts/daemon/chain-rows.ts#isProvisional',
    take: 'or cardinality(r.agreed_by) < (select',
    put: 'or cardinality(r.agreed_by) < 0 * (select',
    test: { file: VERIFIED, title: 'needs the larger quorum if the quorum is raised before' },
  },
  {
    rule: 'the block of a corroborated row is compared by its hash at confirmation depth',
    at: 'shared/db/chain-facts/daemon/chain-rows.ts#markCorroboratedInBlock',
    take: 'and r.block_hash = b.block_hash',
    put: '',
    test: { file: ROWS, title: 'checks the block of a row again at depth, even if a quorum' },
  },
  {
    rule: 'a row whose values have changed is no longer corroborated',
    at: 'shared/db/chain-facts/daemon/observed-rows.ts#recordChainRows',
    take: "where (${db(columnsOf('r', verified))}) is not distinct from",
    put: "where true or (${db(columnsOf('r', verified))}) is not distinct from",
    test: { file: VERIFIED, title: 'is credited as the chain shows it, even if the feed moves it to' },
  },
  {
    rule: 'a row of any table whose values have changed is no longer corroborated',
    at: 'shared/db/chain-facts/daemon/observed-rows.ts#recordChainRows',
    take: 'const verified = [...POSITION, ...content]',
    put: 'const verified = [...POSITION]',
    test: { file: MARKS, title: 'is removed in' },
  },
  {
    rule: 'rows that wait for a quorum take turns by charge',
    at: 'shared/db/chain-facts/daemon/uncorroborated.ts#listUncorroborated',
    take: 'order by min(turn), 2, tx_hash',
    put: 'order by 2, tx_hash',
    test: { file: MARKS, title: 'is requested for one row of each charge before a second row of any charge' },
  },
  {
    rule: 'a distribution that no quorum reports delays a payout for at most ten minutes',
    at: 'shared/db/chain-facts/daemon/at-depth.ts#isCorroborationTimedOut',
    take: "interval '10 minutes'",
    put: "interval '10 years'",
    test: { file: PAYOUTS, title: 'waits at most ten minutes for a distribution that no quorum shows' },
  },
  {
    rule: 'an amount is not immediately paid again while no quorum reports its distribution',
    at: 'shared/db/chain-facts/daemon/at-depth.ts#isCorroborationTimedOut',
    take: "interval '10 minutes'",
    put: "interval '0 minutes'",
    test: { file: PAYOUTS, title: 'waits at most ten minutes for a distribution that no quorum shows' },
  },
  {
    rule: 'a quorum marks only the row with the same values',
    at: 'shared/db/chain-facts/daemon/chain-rows.ts#saysSame',
    take: 'and ${party} = s.party and ${amountAtomic} = s."amountAtomic" and',
    put: 'and ${party} = s.party and',
    test: { file: VERIFIED, title: 'gets no votes from a quorum that shows another amount' },
  },
  {
    rule: 'a row that was accepted from one node is later verified by a quorum',
    at: 'shared/db/chain-facts/daemon/uncorroborated.ts#listToVerify',
    take: "(r.agreed_by[1] = 'before-quorum' or r.agreed_by[1] like 'trusted:%')",
    put: "r.agreed_by[1] = 'nothing'",
    test: { file: VERIFIED, title: 'gets the votes of the quorum that verifies it later' },
  },
  {
    rule: 'a counted row that the feed has moved to another block is verified by a quorum',
    at: 'shared/db/chain-facts/daemon/uncorroborated.ts#listToVerify',
    take: 'is not null and r.agreed_by is null',
    put: 'is null and r.agreed_by is null',
    test: { file: VERIFIED, title: 'returns to its block with the votes of a quorum' },
  },
  {
    rule: 'a counted row that the feed has moved is not verified before its block is at confirmation depth',
    at: 'shared/db/chain-facts/daemon/uncorroborated.ts#listToVerify',
    take: "and ${isUnderHead(db, 'r')}",
    put: '',
    test: { file: VERIFIED, title: 'is verified again only once the block that it has moved to' },
  },
  {
    rule: 'rows that no quorum shows do not delay the verification of other rows',
    at: 'indexer/corroboration/verification-rounds.ts#createVerificationRounds',
    take: '[...resting, ...queried]',
    put: '[...resting]',
    test: { file: VERIFIED, title: 'is verified within three turns, even if no quorum shows ten others' },
  },
  {
    rule: 'transactions that were queried without a confirmed head keep their places in the round',
    at: 'indexer/corroboration/corroborate-rows.ts#createCorroboration',
    take: 'if (deep !== null) rounds.note(verified)',
    put: 'rounds.note(verified)',
    test: { file: VERIFIED, title: 'is verified in the next turn if no quorum showed a confirmed head' },
  },
  {
    rule: 'a quorum denies a counted row that would not be accepted now',
    at: 'indexer/corroboration/find-unrecorded.ts#contentOf',
    take: '[party, amountAtomic, isAccepted]',
    put: '[party, amountAtomic]',
    test: { file: VERIFIED, title: 'keeps its credit and is orphaned, with one alert, if the charge' },
  },
  {
    rule: 'a scan does not record a counted row again that a quorum has denied',
    at: 'indexer/corroboration/find-unrecorded.ts#findUnrecorded',
    take: '(contents.get(positionOf(row)) ?? contentOf(row)) === contentOf(row)',
    put: 'contents.size >= 0',
    test: { file: VERIFIED, title: 'is denied with one alert only, even if two scans list its log again' },
  },
  {
    rule: 'a counted row that was denied is included again if a quorum shows its content',
    at: 'indexer/corroboration/find-unrecorded.ts#findUnrecorded',
    take: '(contents.get(positionOf(row)) ?? contentOf(row)) === contentOf(row)',
    put: '!contents.has(positionOf(row))',
    test: {
      file: VERIFIED,
      title: 'is included again by a scan once a quorum shows it as the ledger has it',
    },
  },
  {
    rule: 'a quorum can deny a row that was accepted from one node',
    at: 'shared/db/chain-facts/daemon/chain-rows.ts#markDenied',
    take: "and r.inclusion <> 'orphaned' and ${isProvisional(db)}",
    put: "and r.inclusion <> 'orphaned' and r.agreed_by is null",
    test: {
      file: VERIFIED,
      title: 'is orphaned with an alert if a quorum denies it, and the charge stays confirmed',
    },
  },
  {
    rule: 'an agreed row that no feed has shown is missing once its transaction is gone',
    at: 'indexer/corroboration/record-agreed.ts#denyOthers',
    take: 'await markUnfedMissing(db, table, others)',
    put: 'if (others.length < 0) await markUnfedMissing(db, table, others)',
    test: { file: ROWS, title: 'marks a row without a feed as missing' },
  },
  {
    rule: 'a quorum does not deny a row above its confirmed head',
    at: 'indexer/corroboration/record-agreed.ts#denyOthers',
    take: '.filter((row) => row.blockNumber <= (deepOf.get(row.txHash) ?? -1))',
    put: '.filter((row) => row.blockNumber >= (deepOf.get(row.txHash) ?? -1))',
    test: { file: VERIFIED, title: 'stays included until its block is at depth, even if a quorum' },
  },
  {
    rule: 'the feed does not change a corroborated row in the same block',
    at: 'shared/db/chain-facts/daemon/chain-rows.ts#restoreAgreed',
    take: 'and (r.agreed_at is not null or r.denied_block_hash = r.block_hash)',
    put: 'and r.denied_block_hash = r.block_hash',
    test: { file: SNAPSHOT, title: 'keeps the log index and the quorum of a credited row' },
  },
  {
    rule: 'a row that a quorum has denied stays denied in the same block',
    at: 'shared/db/chain-facts/daemon/chain-rows.ts#restoreAgreed',
    take: 'and (r.agreed_at is not null or r.denied_block_hash = r.block_hash)',
    put: 'and r.agreed_at is not null',
    test: { file: SNAPSHOT, title: 'keeps a row orphaned after a quorum has denied it, even if another row' },
  },
]
