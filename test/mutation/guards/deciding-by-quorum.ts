import type { Mutant } from '../mutant.ts'

const QUORUM = 'test/unit/chain/nodes/quorum.test.ts'
const NODES = 'test/unit/chain/nodes/query-nodes.test.ts'
const RECONCILE = 'test/integration/reconciliation/reconcile.test.ts'
const EVIDENCE = 'test/integration/reconciliation/expiry-verification.test.ts'
const CARE = 'test/integration/chain-feed/feed-maintenance.test.ts'
const REQUIRED = 'test/integration/db/require-quorum.test.ts'

/** How votes become a decision, which nodes count, and which decisions need a quorum (decisions 9.1). */
export const QUORUM_RULES: readonly Mutant[] = [
  {
    rule: 'there is no decision if two different values both reach the quorum',
    at: 'shared/chain/nodes/quorum.ts#findVerdict',
    take: 'if (first !== undefined && second === undefined) {',
    put: 'if (first !== undefined && first !== second) {',
    test: { file: QUORUM, title: 'is undecided if two pairs of operators contradict each other' },
  },
  {
    rule: 'a contradiction between nodes is not treated as silence',
    at: 'shared/chain/nodes/quorum.ts#findVerdict',
    take: 'return groups.length > 1 ?',
    put: 'return groups.length < 0 ?',
    test: {
      file: QUORUM,
      title: 'is undecided while two operators contradict each other',
    },
  },
  {
    rule: 'a decision needs a vote of each required API',
    at: 'shared/chain/nodes/quorum.ts#findDeciders',
    take: 'operators.length >= quorum && hasApis',
    put: 'operators.length >= quorum && (hasApis || !hasApis)',
    test: { file: QUORUM, title: 'waits for a vote of each API' },
  },
  {
    rule: 'a decision by a trusted node is recorded as a decision by that node',
    at: 'shared/chain/nodes/quorum.ts#findDeciders',
    take: '[`trusted:${trusted}`]',
    put: 'operators',
    test: { file: QUORUM, title: 'marks a decision by a trusted node' },
  },
  {
    rule: 'only a node that is far behind a quorum counts as stalled',
    at: 'shared/chain/nodes/node-health.ts#findStalled',
    take: 'timeMs - head.timestampMs > boundMs',
    put: 'timeMs - head.timestampMs > boundMs / 1e6',
    test: { file: NODES, title: 'does not name a node that is behind by a minute or less' },
  },
  {
    rule: 'on a slow chain only a node that is more than 20 block times behind counts as stalled',
    at: 'shared/chain/nodes/node-health.ts#findStalled',
    take: 'Math.max(STOPPED_AFTER.blocks * blockTimeMs, STOPPED_AFTER.atLeastMs)',
    put: 'Math.max(blockTimeMs, STOPPED_AFTER.atLeastMs)',
    test: {
      file: NODES,
      title: 'does not name a node that is behind by 20 block times or less on a chain with long block times',
    },
  },
  {
    rule: 'a node whose head has a future time does not exclude other nodes',
    at: 'shared/chain/nodes/node-health.ts#findStalled',
    take: 'Math.min(...reached.map(',
    put: 'Math.max(...reached.map(',
    test: {
      file: NODES,
      title: 'names neither of two honest nodes if a third node invents a head in the future',
    },
  },
  {
    rule: 'nodes on two forks stop reconciliation',
    at: 'shared/chain/nodes/query-block.ts#queryBlock',
    take: '`${hash.toLowerCase()}/${timestamp}`',
    put: '`${hash.length}/${timestamp}`',
    test: { file: RECONCILE, title: 'does not record rows while two nodes are on different branches, and' },
  },
  {
    rule: 'a charge does not expire while nodes report two hashes for the confirmed head',
    at: 'shared/chain/nodes/query-block.ts#queryBlock',
    take: '`${hash.toLowerCase()}/${timestamp}`',
    put: '`${hash.length}/${timestamp}`',
    test: { file: EVIDENCE, title: 'keeps the charge open while one of two nodes shows ' },
  },
  {
    rule: 'a charge does not expire while nodes report two times for the confirmed head',
    at: 'shared/chain/nodes/query-block.ts#queryBlock',
    take: '`${hash.toLowerCase()}/${timestamp}`',
    put: 'hash.toLowerCase()',
    test: { file: EVIDENCE, title: 'keeps the charge open while one of two nodes shows ' },
  },
  {
    rule: 'a block range is completed only if a quorum of operators has listed its logs',
    at: 'indexer/reconciliation/scan-charges.ts#listLogs',
    take: 'responses !== null && hasQuorum(responses, getQuorumRule(sources.scanners))',
    put: 'true',
    test: { file: RECONCILE, title: 'if the first node lists no log in it' },
  },
  {
    rule: 'a chain is quiet only if all nodes have the same head',
    at: 'indexer/chain-feed/feed-maintenance.ts#noticeQuiet',
    take: 'head.number === first.number && isOld(head)',
    put: 'isOld(head)',
    test: { file: CARE, title: 'does not treat a chain as quiet while the second node has' },
  },
  {
    rule: 'a chain is quiet only if its head is old at every node',
    at: 'indexer/chain-feed/feed-maintenance.ts#noticeQuiet',
    take: 'head.number === first.number && isOld(head)',
    put: 'head.number === first.number && isOld(first)',
    test: { file: CARE, title: 'does not treat a chain as quiet while the second node has' },
  },
  {
    rule: 'if a later read of the contracts fails, the earlier result stays valid',
    at: 'indexer/chain-feed/feed-maintenance.ts#createFeedMaintenance',
    take: 'if (contracts === null) await setContractsMatch(sql, chainId, null)',
    put: 'await setContractsMatch(sql, chainId, null)',
    test: { file: CARE, title: 'continues to confirm contracts that it has read once, while later reads' },
  },
  {
    rule: 'a network is stale while fewer nodes than the quorum respond',
    at: 'shared/db/chain-facts/stale.ts#isStale',
    take: "coalesce(d.quorum_responded_at < now() - interval '2 minutes', false)",
    put: "coalesce(d.quorum_responded_at < now() - interval '2 years', false)",
    test: {
      file: 'test/integration/db/operations-backlog.test.ts',
      title: 'report even a new head as stale',
    },
  },
  {
    rule: 'a missing row is orphaned only by a quorum',
    at: 'indexer/chain-feed/resolve-missing.ts#isOrphaned',
    take: 'createQuorumRule(chain.quorum, chain.getTrusted())',
    put: 'createQuorumRule(1, chain.getTrusted())',
    test: {
      file: 'test/integration/chain-feed/resolve-missing.test.ts',
      title: 'keeps a row missing while one node denies it and the second node is silent',
    },
  },
  {
    rule: 'a check reports a payment only with a quorum',
    at: 'indexer/charge-checks/check-charge.ts#findReceipt',
    take: 'const verdict = await queryQuorum(chain, {',
    put: 'const verdict = await queryQuorum({ ...chain, quorum: 1 }, {',
    test: {
      file: 'test/integration/corroboration/check-by-quorum.test.ts',
      title: 'of two nodes shows the payment, and the other denies it or is silent',
    },
  },
  {
    rule: 'a balance verifies an expiry only if a quorum reports it',
    at: 'indexer/reconciliation/balance-reader.ts#createBalanceReader',
    take: 'createQuorumRule(deps.chain.quorum, deps.chain.getTrusted())',
    put: 'createQuorumRule(1, deps.chain.getTrusted())',
    test: { file: EVIDENCE, title: 'keeps the charge open as long as the second node does not report' },
  },
  {
    rule: 'if no quorum agrees on a balance, payments are searched for up to the highest reported balance',
    at: 'indexer/reconciliation/balance-reader.ts#foundOf',
    take: 'left < right ? 1 : -1',
    put: 'left < right ? -1 : 1',
    test: { file: EVIDENCE, title: 'trusts the node that shows the payment, not the node that' },
  },
  {
    rule: 'a balance at a block of another branch is not a vote',
    at: 'indexer/reconciliation/node-balances.ts#createArchiveBalanceReader',
    take: 'hash !== block.hash ||',
    put: '',
    test: { file: EVIDENCE, title: 'keeps the charge open while the balances of a second node belong' },
  },
  {
    rule: 'a charge counts as searched only if a quorum of operators has served the logs of its whole life',
    at: 'indexer/reconciliation/verify-expiries.ts#createExpiryVerifier',
    take: 'isComplete && isByQuorum',
    put: 'isComplete && (isByQuorum || true)',
    test: { file: EVIDENCE, title: 'keeps the charge open with an alert while one of two nodes serves' },
  },
  {
    rule: 'a charge counts as searched if the trusted node has served the logs of its whole life',
    at: 'indexer/reconciliation/scan-charges.ts#listLogs',
    take: 'hasQuorum(responses, getQuorumRule(sources.scanners))',
    put: 'hasQuorum(responses, { ...getQuorumRule(sources.scanners), trusted: null })',
    test: { file: EVIDENCE, title: 'lets the charge expire if the node that an operator trusts serves' },
  },
  {
    rule: 'a failed search for one balance does not prevent searches for other balances',
    at: 'indexer/reconciliation/balance-sweep.ts#createBalanceSweep',
    take: '.catch((error: unknown) => failures.push(error))',
    put: '',
    test: {
      file: 'test/integration/reconciliation/reconcile.test.ts',
      title: 'searches every unexplained balance, even if the search for one',
    },
  },
  {
    rule: 'a newly started Ponder is assumed to query the nodes in the configured order',
    at: 'indexer/chain-feed/feed-maintenance.ts#createFeedMaintenance',
    take: 'order = chain.nodes\n      stuckWatch.begin()',
    put: 'stuckWatch.begin()',
    test: { file: CARE, title: 'returns to the configured order of the nodes when Ponder is started' },
  },
  {
    rule: 'the search for the cause of an unexplained balance counts only if a quorum lists the logs',
    at: 'indexer/reconciliation/balance-sweep.ts#createBalanceSweep',
    take: 'searchCharge(deps, { charge, block, confirmedHeadNumber })',
    put: 'searchCharge(deps, { charge, block, confirmedHeadNumber, acceptsOne: true })',
    test: {
      file: 'test/integration/reconciliation/reconcile.test.ts',
      title: 'searches an unexplained balance again if only the node that omits the payment lists logs',
    },
  },
  {
    rule: 'a search counts only if a quorum decides each of its results',
    at: 'indexer/reconciliation/search-charge.ts#searchCharge',
    take: 'answers.some(({ isUnsure }) => isUnsure)',
    put: 'answers.every(({ isUnsure }) => isUnsure && answers.length > 99)',
    test: { file: EVIDENCE, title: 'keeps the charge open while no quorum confirms or denies a log' },
  },
  {
    rule: 'a quorum decides which transaction used a nonce',
    at: 'indexer/relayer/query-nonce-use.ts#queryNonceUse',
    take: 'return queryQuorum(nodes, {',
    put: 'return queryQuorum({ ...nodes, quorum: 1 }, {',
    test: { file: 'test/integration/relayer/lying-results.test.ts', title: 'is not resolved by the result' },
  },
  {
    rule: 'final transactions are reopened only if a quorum shows that their nonces are unused',
    at: 'indexer/relayer/track-transactions.ts#trackTransactions',
    take: 'if (isGap && !(await isGapAgreed(context, view))) {',
    put: 'if (false) {',
    test: {
      file: 'test/integration/relayer/lying-results.test.ts',
      title: 'keeps its final transaction while one node reports its nonce as unused',
    },
  },
  {
    rule: 'a success is reopened only if a quorum denies it',
    at: 'indexer/relayer/reexamine-transactions.ts#reexamineTransactions',
    take: 'queryQuorum(nodes, {',
    put: 'queryQuorum({ ...nodes, quorum: 1 }, {',
    test: {
      file: 'test/integration/relayer/lying-results.test.ts',
      title: 'stays unchanged while one of two nodes denies the success and the other',
    },
  },
  {
    rule: 'an escrow ends only based on balances that a quorum reports',
    at: 'indexer/escrow/agreed-balances.ts#createAgreedBalances',
    take: 'createQuorumRule(chain.quorum, chain.getTrusted())',
    put: 'createQuorumRule(1, chain.getTrusted())',
    test: {
      file: 'test/integration/escrow/agreed-balances.test.ts',
      title: 'are not agreed while the second',
    },
  },
  {
    rule: 'only a quorum can report that no block contains a transaction of our other account',
    at: 'indexer/pay-by-signature/track-authorizations.ts#hasNoReceipt',
    take: 'const verdict = await queryQuorum(chain, {',
    put: 'const verdict = await queryQuorum({ ...chain, quorum: 1 }, {',
    test: {
      file: 'test/integration/pay-by-signature/authorization-worker.test.ts',
      title: 'expires after its window even if our key was replaced',
    },
  },
  {
    rule: 'the settlers of a swap are read from a quorum of nodes',
    at: 'api/swap/0x/read-settlers.ts#querySettlers',
    take: 'const verdict = await queryQuorum(chain, {',
    put: 'const verdict = await queryQuorum({ ...chain, quorum: 1 }, {',
    test: {
      file: 'test/integration/swap/lying-provider.test.ts',
      title: 'uses a settler that only one of two nodes',
    },
  },
  {
    rule: 'the time at which a quorum of a network responded is recorded',
    at: 'indexer/chain-feed/feed-maintenance.ts#createFeedMaintenance',
    take: 'await recordQuorumResponse(sql, chainId)',
    put: '',
    test: { file: CARE, title: 'records when a quorum has responded, and nothing while' },
  },
  {
    rule: 'the feed prefers a node that has reached the quorum’s head',
    at: 'indexer/chain-feed/feed-maintenance.ts#createFeedMaintenance',
    take: 'number >= height)',
    put: 'number >= 0)',
    test: { file: CARE, title: 'restarts a stalled Ponder with the same first node if no other' },
  },
  {
    rule: 'a Ponder that stalled at a node is restarted with another node',
    at: 'indexer/chain-feed/feed-maintenance.ts#createFeedMaintenance',
    take: 'first === undefined ? others : [...others, first]',
    put: 'order',
    test: { file: CARE, title: 'restarts a stalled Ponder with another first node if several nodes report' },
  },
  {
    rule: 'an operator can trust a node for at most a day',
    at: 'indexer/commands/networks.ts#parseSeconds',
    take: 'seconds > 0 && seconds <= MAX_TRUST_SECONDS',
    put: 'seconds > 0 && seconds <= 30 * MAX_TRUST_SECONDS',
    test: { file: 'test/integration/commands/trust.test.ts', title: 'rejects an order with' },
  },
  {
    rule: 'the database limits an override for a trusted node to a day',
    at: 'shared/db/migrations/000007_quorum.sql#node_trusts',
    take: "and ends_at <= ordered_at + interval '24 hours'",
    put: '',
    test: {
      file: 'test/integration/commands/trust.test.ts',
      title: 'is backed by a check in the database that rejects trust for more than a day',
    },
  },
  {
    rule: 'the database rejects a counted split event or escrow transfer without a quorum',
    at: 'shared/db/migrations/000007_quorum.sql#require_agreed_rows',
    take: 'and o.applied_at is null and not is_agreed(n.agreed_by, n.chain_id)',
    put: 'and o.applied_at is null and false',
    test: { file: REQUIRED, title: 'without a quorum' },
  },
  {
    rule: 'in the database a trusted node decides only while the override is active',
    at: 'shared/db/migrations/000007_quorum.sql#is_agreed',
    take: "'trusted:' || n.node = votes[1] and n.ends_at > now()",
    put: "'trusted:' || n.node = votes[1]",
    test: { file: REQUIRED, title: 'counts with a trusted node only while the operator’s order is in force' },
  },
]
