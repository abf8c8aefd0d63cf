import type { Mutant } from '../mutant.ts'

const READS = 'test/integration/api/agreed-reads.test.ts'
const ORDERS = 'test/integration/api/escrow-orders.test.ts'
const CODE = 'test/integration/chain/agreed-code.test.ts'
const ESCROW = 'test/integration/escrow/escrow-worker.test.ts'
const RESTRICTIONS = 'test/integration/payouts/restrictions.test.ts'
const FIRST = 'test/unit/chain/nodes/query-first.test.ts'

/**
 * Rules for facts that are read from a chain before a promise, a signature or a transaction: a quorum of nodes decides
 * them, except where the report of one node is sufficient, such as the success of a simulation.
 */
export const READING_RULES: readonly Mutant[] = [
  {
    rule: 'one report that decides alone is used although other reports contradict it',
    at: 'shared/chain/nodes/query-nodes.ts#queryFirst',
    take: 'findFirst(responses) !== undefined || findVerdict(responses, rule, toText)',
    put: 'findVerdict(responses, rule, toText)',
    test: { file: FIRST, title: 'returns a success that a single node reports (' },
  },
  {
    rule: 'one node’s report of an issuer’s restriction is not sufficient',
    at: 'shared/chain/tokens/restrictions.ts#queryRestriction',
    take: 'queryQuorum(chain, {',
    put: 'queryQuorum({ ...chain, quorum: 1 }, {',
    test: { file: RESTRICTIONS, title: 'of two nodes contradicts the other node, or is down' },
  },
  {
    rule: 'an issuer’s restriction is determined within a second even if a node hangs',
    at: 'shared/chain/tokens/restrictions.ts#queryRestriction',
    take: ', hedgeMs: HEDGE_MS })',
    put: ', hedgeMs: 10 * HEDGE_MS })',
    test: { file: RESTRICTIONS, title: 'are known although the' },
  },
  {
    rule: 'a charge is not rejected for a restriction that one node invents',
    at: 'shared/chain/tokens/restrictions.ts#queryRestriction',
    take: 'queryQuorum(chain, {',
    put: 'queryQuorum({ ...chain, quorum: 1 }, {',
    test: { file: READS, title: 'ignores a restriction that only the ' },
  },
  {
    rule: 'a releaser’s code is read from a quorum of nodes',
    at: 'api/charges/require-releaser.ts#readKind',
    take: 'queryQuorum(chain, {',
    put: 'queryQuorum({ ...chain, quorum: 1 }, {',
    test: { file: READS, title: 'hides the code of a releaser' },
  },
  {
    rule: 'Safe’s contracts are read from a quorum of nodes',
    at: 'api/charges/require-safe.ts#findSafe',
    take: 'queryQuorum(chain, {',
    put: 'queryQuorum({ ...chain, quorum: 1 }, {',
    test: { file: READS, title: 'hides the contracts of Safe' },
  },
  {
    rule: 'the state of a Safe is read from a quorum of nodes',
    at: 'shared/chain/safe/read-safe.ts#querySafe',
    take: 'await queryQuorum(chain, {',
    put: 'await queryQuorum({ ...chain, quorum: 1 }, {',
    test: { file: ORDERS, title: 'returns 503 while the ' },
  },
  {
    rule: 'a Safe is read at a block that a quorum reports',
    at: 'shared/chain/nodes/query-head.ts#queryHead',
    take: 'await queryBlock(chain, height)',
    put: 'await queryBlock({ ...chain, quorum: 1 }, height)',
    test: { file: ORDERS, title: 'returns 503 while the ' },
  },
  {
    rule: 'two nodes that report different Safes do not agree',
    at: 'shared/chain/safe/read-safe.ts#formatReading',
    take: 'return `${reading.isDeployed}/${reading.nonce}/${reading.balanceAtomic}`',
    put: 'return `${reading.isDeployed}/${reading.nonce}`',
    test: { file: ORDERS, title: 'returns 503 while the ' },
  },
  {
    rule: 'an order is not rejected for a Safe state that one node reports',
    at: 'shared/chain/safe/read-safe.ts#querySafe',
    take: 'await queryQuorum(chain, {',
    put: 'await queryQuorum({ ...chain, quorum: 1 }, {',
    test: { file: ESCROW, title: 'neither rejects nor relays an order while the' },
  },
  {
    rule: 'one node’s report that an order would succeed is sufficient',
    at: 'indexer/escrow/prepare-escrow-call.ts#tryCall',
    take: '...{ maxGas, isDoubted },',
    put: '...{ maxGas, isDoubted: true },',
    test: { file: ESCROW, title: 'relays an order although the' },
  },
  {
    rule: 'an order is not rejected for a revert that one node reports',
    at: 'indexer/escrow/prepare-escrow-call.ts#tryCall',
    take: 'await querySimulation(chain, {',
    put: 'await querySimulation({ ...chain, quorum: 1 }, {',
    test: { file: ESCROW, title: 'keeps an order pending while the only responding node reports' },
  },
  {
    rule: 'after an order that was not executed, a quorum estimates the gas of the next order',
    at: 'indexer/escrow/escrow-worker.ts#take',
    take: 'prepareEscrowCall(deps, { ...signed, isDoubted })',
    put: 'prepareEscrowCall(deps, { ...signed, isDoubted: isDoubted && false })',
    test: { file: ESCROW, title: 'waits for the gas estimate of a quorum after an earlier order' },
  },
  {
    rule: 'the code of our contracts is read from a quorum of nodes',
    at: 'shared/chain/contracts/check-contracts.ts#checkContracts',
    take: 'await queryQuorum(chain, {',
    put: 'await queryQuorum({ ...chain, quorum: 1 }, {',
    test: { file: CODE, title: 'our factory' },
  },
  {
    rule: 'a network is on the wrong chain only if every node serves another chain',
    at: 'shared/chain/contracts/check-contracts.ts#areAllForeign',
    take: 'silent.length === nodes.length && silent.every(',
    put: 'silent.length <= nodes.length && silent.some(',
    test: { file: CODE, title: 'is reported as the wrong chain only if every node serves another chain' },
  },
  {
    rule: 'a token’s decimals are read from a quorum of nodes',
    at: 'indexer/chain-feed/decimals-mismatch.ts#queryDecimals',
    take: 'queryQuorum(chain, {',
    put: 'queryQuorum({ ...chain, quorum: 1 }, {',
    test: { file: CODE, title: 'a token’s decimals' },
  },
  {
    rule: 'the signing domain of a token is read from a quorum of nodes',
    at: 'shared/chain/eip3009/check-authorization-domain.ts#checkAuthorizationDomain',
    take: 'await queryQuorum(chain, {',
    put: 'await queryQuorum({ ...chain, quorum: 1 }, {',
    test: { file: CODE, title: 'the EIP-712 domain of a token' },
  },
]
