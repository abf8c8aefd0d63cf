import type { Mutant } from '../mutant.ts'

const QUORUM = 'test/unit/chain/nodes/quorum.test.ts'
const EFFECTS = 'test/unit/corroboration/query-effects-quorum.test.ts'

/**
 * A row counts only if a quorum reports all its values. The simulation with a lying node must also fail if one of these
 * rules is removed.
 */
export const AGREEING_RULES: readonly Mutant[] = [
  {
    rule: 'a silent node never lowers the quorum',
    at: 'shared/chain/nodes/quorum.ts#findVerdict',
    take: 'const by = findDeciders(group, rule)',
    put: 'const by = findDeciders(group, { ...rule, quorum: Math.max(1, rule.quorum - silent.length) })',
    test: { file: QUORUM, title: 'waits for a second operator' },
  },
  {
    rule: 'a row counts only if the quorum of its chain reports it',
    at: 'indexer/corroboration/query-effects.ts#queryEffects',
    take: 'return queryQuorum(voters, {',
    put: 'return queryQuorum({ ...voters, quorum: 1 }, {',
    test: { file: EFFECTS, title: 'is undecided while the second node is silent' },
  },
  {
    rule: 'nodes that report different contents for one log position contradict each other',
    at: 'indexer/corroboration/query-effects.ts#logToText',
    take: 'return [logIndex, address, ...topics, data].join',
    put: 'return [logIndex, address, topics[0]].join',
    test: { file: EFFECTS, title: 'is undecided while two nodes differ in the' },
  },
  {
    rule: 'nodes that report different block times for one receipt contradict each other',
    at: 'indexer/corroboration/query-effects.ts#toText',
    take: 'return [txHash, blockHash, blockNumber, blockTimestamp, ...ours]',
    put: 'return [txHash, blockHash, blockNumber, ...ours]',
    test: { file: EFFECTS, title: 'is undecided while two nodes differ in the' },
  },
]
