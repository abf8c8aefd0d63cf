import type { Mutant } from '../mutant.ts'

const READS = 'test/integration/api/agreed-reads.test.ts'
const ORDERS = 'test/integration/api/escrow-orders.test.ts'
const CODE = 'test/integration/chain/agreed-code.test.ts'
const ESCROW = 'test/integration/escrow/escrow-worker.test.ts'
const RESTRICTIONS = 'test/integration/payouts/restrictions.test.ts'
const FIRST = 'test/unit/chain/nodes/query-first.test.ts'

/** What is read from a chain before it is promised, signed or sent: a quorum of nodes reports it. */
export const READING_RULES: readonly Mutant[] = [
  {
    rule: 'one report that decides alone is found among those that contradict it',
    file: 'shared/chain/nodes/query-nodes.ts',
    take: '    findFirst(responses) !== undefined || findVerdict(responses, rule, toText)',
    put: '    findVerdict(responses, rule, toText)',
    test: { file: FIRST, title: 'finds the one report that decides alone (' },
  },
  {
    rule: 'no issuer’s restriction is known by one node’s report',
    file: 'shared/chain/tokens/restrictions.ts',
    take: 'queryQuorum(chain, {',
    put: 'queryQuorum({ ...chain, quorum: 1 }, {',
    test: { file: RESTRICTIONS, title: 'of two nodes contradicts the other, or is down' },
  },
  {
    rule: 'an issuer’s restriction is known within the second although a node hangs',
    file: 'shared/chain/tokens/restrictions.ts',
    take: ', hedgeMs: HEDGE_MS })',
    put: ', hedgeMs: 10 * HEDGE_MS })',
    test: { file: RESTRICTIONS, title: 'are known within a second although the' },
  },
  {
    rule: 'a charge is not refused for a restriction that one node invents',
    file: 'shared/chain/tokens/restrictions.ts',
    take: 'queryQuorum(chain, {',
    put: 'queryQuorum({ ...chain, quorum: 1 }, {',
    test: { file: READS, title: 'ignores a restriction that only the ' },
  },
  {
    rule: 'a releaser’s code is reported by a quorum',
    file: 'api/charges/require-releaser.ts',
    take: 'queryQuorum(chain, {',
    put: 'queryQuorum({ ...chain, quorum: 1 }, {',
    test: { file: READS, title: 'hides the code of a releaser' },
  },
  {
    rule: 'Safe’s contracts are reported by a quorum',
    file: 'api/charges/require-safe.ts',
    take: 'queryQuorum(chain, {',
    put: 'queryQuorum({ ...chain, quorum: 1 }, {',
    test: { file: READS, title: 'hides the contracts of Safe' },
  },
  {
    rule: 'a Safe is reported by a quorum',
    file: 'shared/chain/safe/read-safe.ts',
    take: 'await queryQuorum(chain, {',
    put: 'await queryQuorum({ ...chain, quorum: 1 }, {',
    test: { file: ORDERS, title: 'returns 503 while the ' },
  },
  {
    rule: 'the block at which a Safe is read is shown by a quorum',
    file: 'shared/chain/nodes/query-head.ts',
    take: 'await queryBlock(chain, height)',
    put: 'await queryBlock({ ...chain, quorum: 1 }, height)',
    test: { file: ORDERS, title: 'returns 503 while the ' },
  },
  {
    rule: 'two nodes that report different Safes do not agree',
    file: 'shared/chain/safe/read-safe.ts',
    take: 'return `${reading.isDeployed}/${reading.nonce}/${reading.balanceAtomic}`',
    put: 'return `${reading.isDeployed}/${reading.nonce}`',
    test: { file: ORDERS, title: 'returns 503 while the ' },
  },
  {
    rule: 'no order is refused for a Safe that one node reports',
    file: 'shared/chain/safe/read-safe.ts',
    take: 'await queryQuorum(chain, {',
    put: 'await queryQuorum({ ...chain, quorum: 1 }, {',
    test: { file: ESCROW, title: 'of two nodes reports about the Safe, and relays nothing' },
  },
  {
    rule: 'one node that would execute an order is enough',
    file: 'indexer/escrow/prepare-escrow-call.ts',
    take: '...{ maxGas, isDoubted },',
    put: '...{ maxGas, isDoubted: true },',
    test: { file: ESCROW, title: 'relays although the ' },
  },
  {
    rule: 'no order is refused for a revert that one node reports',
    file: 'indexer/escrow/prepare-escrow-call.ts',
    take: 'await querySimulation(chain, {',
    put: 'await querySimulation({ ...chain, quorum: 1 }, {',
    test: {
      file: ESCROW,
      title: 'leaves an order open while the only responding node reports that it reverts',
    },
  },
  {
    rule: 'after one order that was not executed, a quorum estimates the gas of the next',
    file: 'indexer/escrow/escrow-worker.ts',
    take: 'prepareEscrowCall(deps, { ...signed, isDoubted })',
    put: 'prepareEscrowCall(deps, { ...signed, isDoubted: isDoubted && false })',
    test: {
      file: ESCROW,
      title: 'executes an order after another one ran out of gas, with the gas estimate of a quorum',
    },
  },
  {
    rule: 'the code of our contracts is reported by a quorum',
    file: 'shared/chain/contracts/check-contracts.ts',
    take: 'await queryQuorum(chain, {',
    put: 'await queryQuorum({ ...chain, quorum: 1 }, {',
    test: { file: CODE, title: 'our factory' },
  },
  {
    rule: 'a network is of another chain only where every node serves another one',
    file: 'shared/chain/contracts/check-contracts.ts',
    take: 'silent.length === nodes.length && silent.every(',
    put: 'silent.length <= nodes.length && silent.some(',
    test: { file: CODE, title: 'is reported as the wrong chain only if every node serves another chain' },
  },
  {
    rule: 'a token’s decimals are reported by a quorum',
    file: 'indexer/chain-feed/decimals-mismatch.ts',
    take: 'queryQuorum(chain, {',
    put: 'queryQuorum({ ...chain, quorum: 1 }, {',
    test: { file: CODE, title: 'a token’s decimals' },
  },
  {
    rule: 'the domain of a token’s signatures is reported by a quorum',
    file: 'shared/chain/eip3009/check-authorization-domain.ts',
    take: 'await queryQuorum(chain, {',
    put: 'await queryQuorum({ ...chain, quorum: 1 }, {',
    test: { file: CODE, title: 'the EIP-712 domain of a token' },
  },
]
