import type { Mutant } from '../mutant.ts'

/** How many operators must report a fact before it counts. */
export const CORROBORATING_RULES: readonly Mutant[] = [
  {
    rule: 'two nodes of one operator have one vote',
    at: 'shared/domain/node-config.ts#listOperators',
    take: 'return [...new Set(nodes.map(({ operator }) => operator))]',
    put: 'return nodes.map(({ operator }) => operator)',
    test: { file: 'test/unit/domain/node-config.test.ts', title: 'counts operators, not nodes' },
  },
  {
    rule: 'two hosts below a private suffix are one operator',
    at: 'shared/domain/node-config.ts#defaultOperator',
    take: "getDomain(host.replace(/:\\d+$/, ''))",
    put: "getDomain(host.replace(/:\\d+$/, ''), { allowPrivateDomains: true })",
    test: { file: 'test/unit/domain/node-config.test.ts', title: 'treats two hosts below a private suffix' },
  },
  {
    rule: 'the pairs of a network with fewer operators than its quorum are not published',
    at: 'shared/runtime/merge-networks.ts#disableWithoutQuorum',
    take: 'return canReachQuorum(draft) ? draft : withoutPairs(draft)',
    put: 'return canReachQuorum(draft) ? draft : draft',
    test: { file: 'test/unit/runtime/networks-config.test.ts', title: 'runs the network with its pairs' },
  },
]
