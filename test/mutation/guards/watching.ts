import type { Mutant } from '../mutant.ts'

const SNAPSHOT = 'test/integration/chain-feed/apply-snapshot.test.ts'
const TRANSPORT = 'test/integration/transport/filter-transport.test.ts'
const KNOWN = 'test/integration/db/known-addresses.test.ts'
const FILTER = 'test/unit/transport/log-filter.test.ts'
const COMPARE = 'test/unit/chain-feed/diff-ledger.test.ts'
const OBSERVE = 'test/unit/chain-feed/observe.test.ts'
const ORDINALS = 'test/unit/chain-feed/match-ordinals.test.ts'

/** Rules for the path of a transfer from the node to the ledger. */
export const WATCHING_RULES: readonly Mutant[] = [
  {
    rule: 'the feed advances its watermark by compare-and-swap, not only under the row lock',
    at: 'shared/db/chain-facts/daemon/deployments.ts#advanceFeedWatermark',
    take: 'where chain_id = ${move.chainId} and watermark_version = ${move.watermarkVersion}',
    put: 'where chain_id = ${move.chainId}',
    test: {
      file: SNAPSHOT,
      title: 'does not apply a snapshot that it read before another daemon moved the watermark',
    },
  },
  {
    rule: 'rows and head are committed in one transaction',
    at: 'indexer/chain-feed/apply-snapshot.ts#applySnapshot',
    take: 'await moveMark(db, {',
    put: 'await moveMark(sql, {',
    test: { file: SNAPSHOT, title: 'does not move the head if the facts below it cannot be recorded' },
  },
  {
    rule: 'rows are read from the durable watermark on, not from the head',
    at: 'indexer/chain-feed/apply-snapshot.ts#applySnapshot',
    take: 'fromBlock: mark.watermarkNumber,',
    put: 'fromBlock: mark.headNumber ?? 0,',
    test: { file: SNAPSHOT, title: 'eventually stores the payments of the canonical chain, despite' },
  },
  {
    rule: 'no decision is made while Ponder is not ready',
    at: 'shared/db/chain-facts/daemon/ponder-tables.ts#readState',
    take: 'if (state?.isReady !== 1) return null',
    put: 'if (state === undefined) return null',
    test: {
      file: SNAPSHOT,
      title:
        'does not mark a row as missing while Ponder is not ready, even if the row is gone and the head is unchanged',
    },
  },
  {
    rule: 'the address of a charge is recognized in any status of the charge',
    at: 'shared/db/chain-facts/daemon/known-addresses.ts#findKnownAddresses',
    take: 'where c.address = any (${addresses}) and',
    put: "where c.address = any (${addresses}) and c.status <> 'expired' and",
    test: {
      file: KNOWN,
      title: 'are found and listed years after the charge’s creation, in any status of the charge',
    },
  },
  {
    rule: 'range queries list the address of a charge in any status of the charge',
    at: 'shared/db/chain-facts/daemon/known-addresses.ts#listKnownAddresses',
    take: 'where not c.is_simulated',
    put: "where not c.is_simulated and c.settlement_status is distinct from 'completed'",
    test: {
      file: KNOWN,
      title: 'are found and listed years after the charge’s creation, in any status of the charge',
    },
  },
  {
    rule: 'a changed filter deletes the data that Ponder has fetched',
    at: 'indexer/chain-feed/generation.ts#findGenerations',
    take: 'await deletePonderRanges(db, spec.chainId)',
    put: '',
    test: {
      file: 'test/integration/chain-feed/generations.test.ts',
      title: 'delete Ponder’s cache of the chain, but of no other chain, if the emitters',
    },
  },
  {
    rule: 'a failed look-up of addresses fails the request',
    at: 'indexer/transport/filter-transport.ts#getLogs',
    take: 'await findKnown(filter, logs)',
    put: 'await findKnown(filter, logs).catch(() => ({ ours: new Set<string>(), escrows: new Set<string>() }))',
    test: { file: TRANSPORT, title: 'fails the request if the addresses cannot be read' },
  },
  {
    rule: 'if the bloom filter contradicts an empty response, all logs of the block are fetched',
    at: 'indexer/transport/filter-transport.ts#logsOfBlock',
    take: 'answers.some((answer) => answer.length === 0)',
    put: 'answers.some(() => false)',
    test: { file: TRANSPORT, title: 'retries once if a response is empty although the bloom filter' },
  },
  {
    rule: 'transfers out of an escrow pass the filter',
    at: 'indexer/transport/log-filter.ts#filterOwnLogs',
    take: '|| (sender !== null && known.escrows.has(sender))',
    put: '',
    test: { file: FILTER, title: 'keeps a transfer from an escrow to anyone, because it might be a refund' },
  },
  {
    rule: 'events of unknown splits do not pass the filter',
    at: 'indexer/transport/log-filter.ts#filterOwnLogs',
    take: 'return isSplitEvent(log) && known.ours.has(lower(log.address))',
    put: 'return isSplitEvent(log)',
    test: {
      file: FILTER,
      title: 'keeps every event of our splits, but drops the same events of other contracts',
    },
  },
  {
    rule: 'a token is identified by its contract, not by its name',
    at: 'indexer/transport/log-filter.ts#isTransfer',
    take: '&& emitters.has(lower(log.address))',
    put: '',
    test: { file: FILTER, title: 'drops a transfer of an unknown token, regardless of its name' },
  },
  {
    rule: 'a lower head in a lagging response is not treated as a reorganization',
    at: 'indexer/transport/head-guard.ts#createHeadGuard',
    take: 'if (highest === null || !isLower || hasStayedLower()) {',
    put: 'if (highest === null || isLower || !isLower || hasStayedLower()) {',
    test: { file: 'test/unit/transport/head-guard.test.ts', title: 'returns the highest head again if' },
  },
  {
    rule: 'a row above the head is not missing',
    at: 'indexer/chain-feed/diff-ledger.ts#diffLedger',
    take: '.filter((row) => row.blockNumber <= headNumber)',
    put: '',
    test: {
      file: COMPARE,
      title: 'does not return as missing a row above the head, which a restarted Ponder has not reached yet',
    },
  },
  {
    rule: 'only rows that a Ponder schema has shown can go missing',
    at: 'indexer/chain-feed/diff-ledger.ts#diffLedger',
    take: "row.inclusion === 'included' && row.ponderSchema !== null",
    put: "row.inclusion === 'included'",
    test: { file: COMPARE, title: 'does not return as missing a row that no schema has shown' },
  },
  {
    rule: 'the identity of a payment is its ordinal, not its log index',
    at: 'shared/domain/transfer.ts#assignOrdinals',
    take: 'return { ...log, ordinal }',
    put: 'return { ...log, ordinal: log.logIndex }',
    test: {
      file: OBSERVE,
      title: 'returns the same ordinals when the transaction is included at other log indexes',
    },
  },
  {
    rule: 'a log in the ledger keeps its ordinal, even if an earlier log appears later',
    at: 'indexer/chain-feed/match-ordinals.ts#LIKENESSES',
    take: 'const LIKENESSES: readonly Likeness[] = [',
    put: 'const LIKENESSES: readonly Likeness[] = [\nhasSameOrdinal,',
    test: { file: ORDINALS, title: 'treats two logs of one block as distinct if both their content' },
  },
  {
    rule: 'a log is matched by its content before its position',
    at: 'indexer/chain-feed/match-ordinals.ts#LIKENESSES',
    take: '(row, known) => isAtSamePlace(row, known) && saysSame(row, known)',
    put: 'isAtSamePlace',
    test: { file: ORDINALS, title: 'recognizes a log by its content if nodes number the logs of a block' },
  },
  {
    rule: 'the feed matches its rows again if an earlier transfer appears later',
    at: 'indexer/chain-feed/apply-snapshot.ts#keepKnown',
    take: 'return ledger.length === 0 ? fit : matchOrdinals(fit, ledger)',
    put: 'return ledger.length === 0 ? fit : matchOrdinals(fit, [])',
    test: { file: SNAPSHOT, title: 'credits each transfer once if the node shows the omitted ones later:' },
  },
  {
    rule: 'receipts match the rows that the feed counted without an earlier transfer',
    at: 'indexer/corroboration/observe-receipts.ts#observeReceipts',
    take: 'matchOrdinals(storable.fit, await listAllChainRows(db, table, of))',
    put: 'matchOrdinals(storable.fit, (await listAllChainRows(db, table, of)).slice(0, 0))',
    test: {
      file: SNAPSHOT,
      title: 'credits each transfer once if the receipt of another node shows the omitted transfer',
    },
  },
  {
    rule: 'if one escrow transfer of a transaction changes, all of them are written again',
    at: 'indexer/chain-feed/apply-snapshot.ts#applyTable',
    take: 'observed.filter(({ txHash }) => changedIn.has(txHash))',
    put: 'changed.filter(({ txHash }) => changedIn.has(txHash))',
    test: { file: SNAPSHOT, title: 'reclassifies a withdrawal from an escrow as a release' },
  },
  {
    rule: 'a missing row is checked by its content, not by its ordinal',
    at: 'indexer/chain-feed/resolve-missing.ts#besides',
    take: 'return { row, ledger: await listAllChainRows(sql, row.table, of) }',
    put: 'return { row, ledger: (await listAllChainRows(sql, row.table, of)).slice(0, 0) }',
    test: {
      file: 'test/integration/chain-feed/resolve-missing.test.ts',
      title: 'orphans the row whose transfer no longer exists, regardless of its ordinal',
    },
  },
  {
    rule: 'a receipt can be recorded only while the feed records nothing',
    at: 'shared/db/chain-facts/daemon/deployments.ts#lockFeedWatermark',
    take: 'where chain_id = ${chainId} for no key update`',
    put: 'where chain_id = ${chainId}`',
    test: { file: SNAPSHOT, title: 'does not record a receipt until the feed’s transaction has ended' },
  },
  {
    rule: 'a transfer of zero gets an ordinal',
    at: 'indexer/chain-feed/observe.ts#observeTransfers',
    take: '&& token',
    put: '&& token && row.value > 0n',
    test: { file: OBSERVE, title: 'gives a transfer of zero an ordinal but drops it' },
  },
  {
    rule: 'testnet money is never credited to a live charge',
    at: 'indexer/chain-feed/observe.ts#isAccepted',
    take: 'return charge.environment === environment && charge.acceptedPayments',
    put: 'return environment !== undefined && charge.acceptedPayments',
    test: { file: OBSERVE, title: 'does not accept testnet money for a live charge' },
  },
  {
    rule: 'a distribution of testnet money does not complete a payout',
    at: 'indexer/chain-feed/observe.ts#observeSplitEvents',
    take: 'charge?.environment === deployment.environment && tokens.has(row.token)',
    put: 'charge && tokens.has(row.token)',
    test: { file: OBSERVE, title: 'skips testnet events of a live charge’s split, and live events of' },
  },
  {
    rule: 'a row is orphaned only once its block is at confirmation depth on a node that lacks its payment',
    at: 'indexer/chain-feed/resolve-missing.ts#find',
    take: 'if (getDepth({ head, block: row.blockNumber }) >= deps.confirmations)',
    put: 'if (getDepth({ head, block: row.blockNumber }) >= 0)',
    test: {
      file: 'test/integration/chain-feed/resolve-missing.test.ts',
      title:
        'does not orphan a row before its block is at confirmation depth on a node that lacks its payment',
    },
  },
  {
    rule: 'events of our own splits pass the filter',
    at: 'indexer/transport/log-filter.ts#filterOwnLogs',
    take: 'return isSplitEvent(log) && known',
    put: 'return isSplitEvent(log) && log.topics.length === 0 && known',
    test: {
      file: FILTER,
      title: 'keeps every event of our splits, but drops the same events of other contracts',
    },
  },
  {
    rule: 'a new generation is used only once it has caught up',
    at: 'indexer/chain-feed/ponder-owner.ts#createPonderOwner',
    take: 'if (snapshot === null || snapshot.head.number < headNumber - LEVEL_WITHIN_BLOCKS) return false',
    put: 'void snapshot',
    test: {
      file: 'test/integration/chain-feed/restarts.test.ts',
      title: 'watches with the old generation until the new generation with another token has caught up',
    },
  },
  {
    rule: 'a row that cannot be stored does not stop the other rows',
    at: 'indexer/chain-feed/dead-letter-logs.ts#partitionStorable',
    take: 'fit: judged.flatMap(({ row, reason }) => (reason === null ? [row] : [])),',
    put: 'fit: judged.map(({ row }) => row),',
    test: {
      file: SNAPSHOT,
      title: 'moves logs whose amount is too large for its column to the dead letters, reports them',
    },
  },
  {
    rule: 'a TRON block that a reorganization removed is not queried ten more times',
    at: 'indexer/transport/normalizers-by-family.ts#NORMALIZERS_BY_FAMILY',
    take: 'mendFailure: normalizeTronError',
    put: 'mendFailure: (failure) => failure',
    test: {
      file: 'test/integration/tron/tron-feed.test.ts',
      title: 'returns an error that Ponder does not retry',
    },
  },
]
