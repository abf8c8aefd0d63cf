import type { Mutant } from '../mutant.ts'

const ONE_WORD = 'test/integration/tron/tron-single-source.test.ts'
const TWO_SOURCES = 'test/integration/tron/tron-two-sources.test.ts'
const EFFECTS = 'test/unit/corroboration/query-effects.test.ts'
const ROWS = 'test/integration/corroboration/corroborate-rows.test.ts'
const LOG_SOURCE = 'test/unit/corroboration/log-source.test.ts'

/** How the nodes of a chain, and the two APIs of TRON's nodes, agree on a transaction. */
export const VOTING_RULES: readonly Mutant[] = [
  {
    rule: 'on TRON a quorum on a transaction needs a vote of each API',
    at: 'indexer/corroboration/query-effects.ts#queryEffects',
    take: 'toText, apis })',
    put: 'toText })',
    test: {
      file: TWO_SOURCES,
      title: 'do not credit a payment, and raise an alert, while one API of the only node has lost the logs',
    },
  },
  {
    rule: 'on TRON reconciliation and the feed read different APIs',
    at: 'indexer/corroboration/sources-by-family.ts#SOURCES_BY_FAMILY',
    take: 'scan: createSolidifiedSource',
    put: 'scan: createLogSource',
    test: {
      file: TWO_SOURCES,
      title: 'do not complete a range while one API of the only node has lost logs that the other API lists',
    },
  },
  {
    rule: 'the first two votes on TRON come from two nodes and both APIs',
    at: 'indexer/corroboration/chain-sources.ts#takeTurns',
    take: 'votes[(at + round) % apis]',
    put: 'votes[round]',
    test: {
      file: 'test/unit/corroboration/chain-sources.test.ts',
      title: 'start on TRON with different APIs of two nodes, so that two votes can decide',
    },
  },
  {
    rule: 'nodes that show different block times contradict each other',
    at: 'indexer/corroboration/query-effects.ts#toText',
    take: 'blockNumber, blockTimestamp, ...ours',
    put: 'blockNumber, ...ours',
    test: { file: EFFECTS, title: 'differs for another block time' },
  },
  {
    rule: 'nodes that show different amounts at one position contradict each other',
    at: 'indexer/corroboration/query-effects.ts#logToText',
    take: '[logIndex, address, ...topics, data]',
    put: '[logIndex, address, ...topics]',
    test: { file: EFFECTS, title: 'differs for another amount' },
  },
  {
    rule: 'a node that has pruned a receipt does not deny the transaction',
    at: 'shared/chain/nodes/receipts.ts#requireAbsence',
    take: 'hash === null || transactions.some(',
    put: 'hash === null || transactions.slice(0, 0).some(',
    test: { file: LOG_SOURCE, title: 'is not denied by a node that has pruned the receipt' },
  },
  {
    rule: 'a transaction hash in another letter case is not a second payment',
    at: 'indexer/corroboration/log-source.ts#createLogSource',
    take: 'claim.txHash.toLowerCase() as Hex',
    put: 'claim.txHash',
    test: { file: LOG_SOURCE, title: 'is the same transaction regardless of the case of its hash' },
  },
  {
    rule: 'a TRON node that keeps no transaction effects does not deny a transaction',
    at: 'indexer/corroboration/tron/solidified-source.ts#requireAbsence',
    take: 'if (listed.includes(txHash))',
    put: 'if (listed.length < 0)',
    test: { file: ONE_WORD, title: 'is not a denial if the node lists the transaction but has not stored' },
  },
  {
    rule: 'both APIs of TRON return the same result for a transaction without logs',
    at: 'indexer/corroboration/tron/solidified-source.ts#readEffects',
    take: "receipt === 'failed' ? null : receipt",
    put: "receipt === 'failed' || receipt?.logs.length === 0 ? null : receipt",
    test: { file: ONE_WORD, title: 'does not create a payment from an existing transaction without logs' },
  },
  {
    rule: 'on TRON only blocks that are solidified at a quorum are read',
    at: 'indexer/reconciliation/reconcile-chain.ts#createChainReconciler',
    take: 'return Math.min(number, height)',
    put: 'return number',
    test: { file: ONE_WORD, title: 'is awaited without an error while the node’s other API is' },
  },
  {
    rule: 'a transaction that waits for a quorum raises one alert',
    at: 'indexer/corroboration/overdue-monitor.ts#createLateWatch',
    take: 'late.filter((one) => !reported.has(one))',
    put: 'late',
    test: { file: ROWS, title: 'raises one alert per waiting transaction while the second node is down' },
  },
  {
    rule: 'transactions are still queried while no quorum reports the confirmed head',
    at: 'indexer/corroboration/corroborate-rows.ts#createCorroboration',
    take: "error.code === 'rpc_unavailable') return null",
    put: "error.code === 'charge_not_found') return null",
    test: { file: ROWS, title: 'raises one alert per waiting transaction while the second node is down' },
  },
  {
    rule: 'future block times in the feed’s rows do not suppress an alert',
    at: 'shared/db/chain-facts/daemon/uncorroborated.ts#lateRows',
    take: 'and least(to_timestamp(r.block_timestamp), r.detected_at)',
    put: 'and to_timestamp(r.block_timestamp)',
    test: { file: ROWS, title: 'raises an alert for a waiting row even if the feed reports a future' },
  },
  {
    rule: 'a payment that reaches confirmation depth is queried again without delay',
    at: 'shared/db/chain-facts/daemon/uncorroborated.ts#listUncorroborated',
    take: "{isUnderHead(db, 'r')} or",
    put: '{false} or',
    test: {
      file: 'test/integration/corroboration/corroborate-rows.test.ts',
      title:
        'credits a payment as soon as it is at depth, even if the nodes were last queried shortly before',
    },
  },
]
