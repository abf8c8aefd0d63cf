import type { Mutant } from '../mutant.ts'

const QUORUM = 'test/unit/chain/nodes/quorum.test.ts'
const NODES = 'test/unit/chain/nodes/query-nodes.test.ts'
const RECONCILE = 'test/integration/reconciliation/reconcile.test.ts'
const EVIDENCE = 'test/integration/reconciliation/expiry-verification.test.ts'
const CARE = 'test/integration/chain-feed/feed-maintenance.test.ts'
const REQUIRED = 'test/integration/db/require-quorum.test.ts'
const HEALTH = 'shared/chain/nodes/node-health.ts'
const VERDICT = 'shared/chain/nodes/quorum.ts'
const MIGRATION = 'shared/db/migrations/000007_quorum.sql'

/** How votes become a decision, which nodes count, and which decisions need a quorum (decisions 9.1). */
export const QUORUM_RULES: readonly Mutant[] = [
  {
    rule: 'two values that both reach the quorum decide nothing',
    file: VERDICT,
    take: 'if (first !== undefined && second === undefined) {',
    put: 'if (first !== undefined && first !== second) {',
    test: { file: QUORUM, title: 'is undecided if two pairs contradict each other' },
  },
  {
    rule: 'a contradiction is not silence',
    file: VERDICT,
    take: 'return groups.length > 1 ?',
    put: 'return groups.length < 0 ?',
    test: { file: QUORUM, title: 'is undecided while two operators contradict each other' },
  },
  {
    rule: 'a decision needs a vote of each required API',
    file: VERDICT,
    take: 'operators.length >= quorum && hasApis',
    put: 'operators.length >= quorum && (hasApis || !hasApis)',
    test: { file: QUORUM, title: 'requires a vote of each API' },
  },
  {
    rule: 'a decision by a trusted node is recorded as such',
    file: VERDICT,
    take: '[`trusted:${trusted}`]',
    put: 'operators',
    test: { file: QUORUM, title: 'marks a decision by a trusted node' },
  },
  {
    rule: 'a stalled node is far behind a quorum',
    file: HEALTH,
    take: 'timeMs - head.timestampMs > boundMs',
    put: 'timeMs - head.timestampMs > boundMs / 1e6',
    test: { file: NODES, title: 'names no node that is behind by a minute or less' },
  },
  {
    rule: 'a stalled node is 20 block times behind, even on a slow chain',
    file: HEALTH,
    take: 'Math.max(STOPPED_AFTER.blocks * blockTimeMs, STOPPED_AFTER.atLeastMs)',
    put: 'Math.max(blockTimeMs, STOPPED_AFTER.atLeastMs)',
    test: {
      file: NODES,
      title: 'names no node that is behind by 20 block times or less on a chain with long block times',
    },
  },
  {
    rule: 'a node whose head has a future time excludes no other node',
    file: HEALTH,
    take: 'Math.min(...reached.map(',
    put: 'Math.max(...reached.map(',
    test: { file: NODES, title: 'names neither of two honest nodes if a third invents a head in the future' },
  },
  {
    rule: 'nodes on two forks stop reconciliation',
    file: 'shared/chain/nodes/query-block.ts',
    take: '`${hash.toLowerCase()}/${timestamp}`',
    put: '`${hash.length}/${timestamp}`',
    test: {
      file: RECONCILE,
      title: 'finds nothing while two nodes are on different branches; a third one decides, with an alert',
    },
  },
  {
    rule: 'a charge does not expire while nodes report two hashes for the confirmed head',
    file: 'shared/chain/nodes/query-block.ts',
    take: '`${hash.toLowerCase()}/${timestamp}`',
    put: '`${hash.length}/${timestamp}`',
    test: { file: EVIDENCE, title: 'ends nothing while one of two nodes shows ' },
  },
  {
    rule: 'a charge does not expire while nodes report two times for the confirmed head',
    file: 'shared/chain/nodes/query-block.ts',
    take: '`${hash.toLowerCase()}/${timestamp}`',
    put: 'hash.toLowerCase()',
    test: { file: EVIDENCE, title: 'ends nothing while one of two nodes shows ' },
  },
  {
    rule: 'a range is passed only if a quorum of operators has listed it',
    file: 'shared/chain/nodes/query-nodes.ts',
    take: 'return isEnough(responses) ? responses : null',
    put: 'return responses',
    test: { file: RECONCILE, title: 'if it is empty at one node' },
  },
  {
    rule: 'a chain is quiet only if all nodes have the same head',
    file: 'indexer/chain-feed/feed-maintenance.ts',
    take: 'head.number === first.number && isOld(head)',
    put: 'isOld(head)',
    test: { file: CARE, title: 'does not treat a chain as quiet while the second node has' },
  },
  {
    rule: 'a chain is quiet only if that block is old at every node',
    file: 'indexer/chain-feed/feed-maintenance.ts',
    take: 'head.number === first.number && isOld(head)',
    put: 'head.number === first.number && isOld(first)',
    test: { file: CARE, title: 'does not treat a chain as quiet while the second node has' },
  },
  {
    rule: 'a later read of contracts that fails changes nothing',
    file: 'indexer/chain-feed/feed-maintenance.ts',
    take: 'if (contracts === null) await setContractsMatch(sql, chainId, null)',
    put: 'await setContractsMatch(sql, chainId, null)',
    test: {
      file: CARE,
      title: 'continues to confirm contracts that it has read once, while later reads fail',
    },
  },
  {
    rule: 'a network is stale while fewer nodes than the quorum respond',
    file: 'shared/db/chain-facts/stale.ts',
    take: "coalesce(d.quorum_responded_at < now() - interval '2 minutes', false)",
    put: "coalesce(d.quorum_responded_at < now() - interval '2 years', false)",
    test: {
      file: 'test/integration/db/operations-backlog.test.ts',
      title:
        'report a head as stale while fewer nodes than the quorum have responded for two minutes, regardless of its age',
    },
  },
  {
    rule: 'a missing row is orphaned only by a quorum',
    file: 'indexer/chain-feed/resolve-missing.ts',
    take: 'createQuorumRule(chain.quorum, chain.getTrusted())',
    put: 'createQuorumRule(1, chain.getTrusted())',
    test: {
      file: 'test/integration/chain-feed/resolve-missing.test.ts',
      title: 'keeps a row missing if only one node denies it while the second is silent',
    },
  },
  {
    rule: 'a check reports a payment only with a quorum',
    file: 'indexer/charge-checks/check-charge.ts',
    take: 'const verdict = await queryQuorum(chain, {',
    put: 'const verdict = await queryQuorum({ ...chain, quorum: 1 }, {',
    test: {
      file: 'test/integration/corroboration/check-by-quorum.test.ts',
      title: 'of two nodes shows it, and the other contradicts it or is silent',
    },
  },
  {
    rule: 'a balance verifies an expiry only if a quorum reports it',
    file: 'indexer/reconciliation/balance-reader.ts',
    take: 'createQuorumRule(deps.chain.quorum, deps.chain.getTrusted())',
    put: 'createQuorumRule(1, deps.chain.getTrusted())',
    test: {
      file: EVIDENCE,
      title: 'keeps the charge open as long as the second node does not report its balances',
    },
  },
  {
    rule: 'without a quorum the highest reported balance is searched for',
    file: 'indexer/reconciliation/balance-reader.ts',
    take: 'left < right ? 1 : -1',
    put: 'left < right ? -1 : 1',
    test: { file: EVIDENCE, title: 'trusts the node that has the payment, not the node without it' },
  },
  {
    rule: 'a balance of another branch is not a vote',
    file: 'indexer/reconciliation/node-balances.ts',
    take: 'hash !== block.hash || ',
    put: '',
    test: {
      file: EVIDENCE,
      title: 'keeps the charge open while the balances of a second node belong to another branch',
    },
  },
  {
    rule: 'a quorum searches the life of a charge',
    file: 'indexer/reconciliation/verify-expiries.ts',
    take: 'isComplete && operators >= deps.chain.quorum',
    put: 'isComplete && operators >= 1',
    test: { file: EVIDENCE, title: 'keeps it open with an alert while one of two nodes returns no logs' },
  },
  {
    rule: 'a search without a quorum for each result proves nothing',
    file: 'indexer/reconciliation/search-charge.ts',
    take: 'answers.some(({ isUnsure }) => isUnsure)',
    put: 'answers.every(({ isUnsure }) => isUnsure && answers.length > 99)',
    test: {
      file: EVIDENCE,
      title: 'keeps it open while no quorum confirms or denies a log that a node returns',
    },
  },
  {
    rule: 'a quorum decides which transaction used a nonce',
    file: 'indexer/relayer/query-nonce-use.ts',
    take: 'return queryQuorum(nodes, {',
    put: 'return queryQuorum({ ...nodes, quorum: 1 }, {',
    test: {
      file: 'test/integration/relayer/lying-results.test.ts',
      title: 'is not resolved by the result of one node while the other is silent',
    },
  },
  {
    rule: 'a success is reopened only if a quorum denies it',
    file: 'indexer/relayer/reexamine-transactions.ts',
    take: 'queryQuorum(nodes, {',
    put: 'queryQuorum({ ...nodes, quorum: 1 }, {',
    test: {
      file: 'test/integration/relayer/lying-results.test.ts',
      title: 'stays unchanged while one of two nodes denies it and the other is silent',
    },
  },
  {
    rule: 'an escrow ends by balances that a quorum returns',
    file: 'indexer/escrow/agreed-balances.ts',
    take: 'createQuorumRule(chain.quorum, chain.getTrusted())',
    put: 'createQuorumRule(1, chain.getTrusted())',
    test: {
      file: 'test/integration/escrow/agreed-balances.test.ts',
      title: 'are unknown while the second of two nodes ',
    },
  },
  {
    rule: 'a quorum must report that our other account has no transaction in any block',
    file: 'indexer/pay-by-signature/track-authorizations.ts',
    take: 'const verdict = await queryQuorum(chain, {',
    put: 'const verdict = await queryQuorum({ ...chain, quorum: 1 }, {',
    test: {
      file: 'test/integration/pay-by-signature/authorization-worker.test.ts',
      title: 'does not wait for a transaction of a replaced account key once its window has ended',
    },
  },
  {
    rule: 'a quorum reports the settlers of a swap',
    file: 'api/swap/0x/read-settlers.ts',
    take: 'const verdict = await queryQuorum(chain, {',
    put: 'const verdict = await queryQuorum({ ...chain, quorum: 1 }, {',
    test: {
      file: 'test/integration/swap/lying-provider.test.ts',
      title: 'has its settler reported by one of two nodes while the other is silent',
    },
  },
  {
    rule: 'the time at which a quorum of a network responded is recorded',
    file: 'indexer/chain-feed/feed-maintenance.ts',
    take: '      await recordQuorumResponse(sql, chainId)\n',
    put: '',
    test: { file: CARE, title: 'records when a quorum has responded, and records nothing while fewer do' },
  },
  {
    rule: 'the feed follows a node at the quorum’s head first',
    file: 'indexer/chain-feed/feed-maintenance.ts',
    take: 'number >= height)',
    put: 'number >= 0)',
    test: {
      file: CARE,
      title: 'restarts a stalled Ponder with its nodes reordered, the most advanced first',
    },
  },
  {
    rule: 'an operator can trust a node for at most a day',
    file: 'indexer/commands/networks.ts',
    take: 'seconds > 0 && seconds <= MAX_TRUST_SECONDS',
    put: 'seconds > 0 && seconds <= 30 * MAX_TRUST_SECONDS',
    test: { file: 'test/integration/commands/trust.test.ts', title: 'rejects an order with' },
  },
  {
    rule: 'the database limits an override for a trusted node to a day',
    file: MIGRATION,
    take: " and ends_at <= ordered_at + interval '24 hours'",
    put: '',
    test: {
      file: 'test/integration/commands/trust.test.ts',
      title: 'is rejected by the database for more than a day, regardless of the caller',
    },
  },
  {
    rule: 'the database rejects a counted split event or escrow transfer without a quorum',
    file: MIGRATION,
    take: 'and o.applied_at is null and not is_agreed(n.agreed_by, n.chain_id)',
    put: 'and o.applied_at is null and false',
    test: { file: REQUIRED, title: 'without a quorum' },
  },
  {
    rule: 'in the database a trusted node decides only while the override is active',
    file: MIGRATION,
    take: "'trusted:' || n.node = votes[1] and n.ends_at > now()",
    put: "'trusted:' || n.node = votes[1]",
    test: { file: REQUIRED, title: 'counts with a trusted node only while the operator’s order is in force' },
  },
]
