import type { Mutant } from '../mutant.ts'

const API_ROLE = 'test/integration/privileges/api-role.test.ts'
/** Title of the tests of all rejected attempts. */
const REFUSED = 'is rejected'
const CARE = 'test/integration/chain-feed/feed-maintenance.test.ts'
const TERMS = 'test/unit/domain/find-terms-problem.test.ts'
const SENDER = 'test/unit/relayer/tron-sender.test.ts'
const NUMBERS = 'test/unit/relayer/tron-numbers.test.ts'
const END = 'test/unit/relayer/tron-end.test.ts'
const LYING = 'test/integration/tron/tron-lying-results.test.ts'
const PAYOUTS = 'test/integration/tron/tron-payouts.test.ts'
const JUDGE = 'shared/db/migrations/000015_charge_terms.sql'

/** Rules of TRON's addresses, transactions and fees. */
export const TRON_RULES: readonly Mutant[] = [
  {
    rule: 'a charge needs a factory whose code a daemon has verified',
    file: JUDGE,
    take: 'and (c.is_simulated or exists (',
    put: 'and (true or exists (',
    test: { file: API_ROLE, title: REFUSED },
  },
  {
    rule: 'a factory is trusted only if its code matched our artifact',
    file: 'indexer/chain-feed/feed-maintenance.ts',
    take: "if (check === 'match') await believeFactory()",
    put: 'await believeFactory()',
    test: { file: CARE, title: 'rejects a mistyped address' },
  },
  {
    rule: 'a factory is not trusted only because it is configured',
    file: 'shared/db/charges/daemon/service-terms.ts',
    take: 'FAMILIES[family].fixedFactory === factory',
    put: 'FAMILIES[family].fixedFactory !== undefined && factory !== undefined',
    test: {
      file: 'test/integration/db/service-terms.test.ts',
      title: 'are trusted once per family and environment, if there is a treasury and a verified factory',
    },
  },
  {
    rule: 'an event on TRON contains the charge’s own address',
    file: JUDGE,
    take: "c.family = 'tron' and e.value = format_tron_address(c.address)",
    put: "c.family = 'tron'",
    test: { file: API_ROLE, title: REFUSED },
  },
  {
    rule: 'a charge does not accept pairs of two families',
    file: JUDGE,
    take: 'where d.family <> c.family)',
    put: 'where false)',
    test: { file: API_ROLE, title: REFUSED },
  },
  {
    rule: 'the daemon does not trust a charge that accepts pairs of two families',
    file: 'shared/domain/find-terms-problem.ts',
    take: '    findPairProblem(charge) ??\n',
    put: '',
    test: { file: TERMS, title: 'accepts a pair of another family' },
  },
  {
    rule: 'a call is signed only if our TRX and energy cover its cost',
    file: 'indexer/relayer/tron/quote-tron-call.ts',
    take: 'if (missing === 0n) return null',
    put: 'if (missing >= 0n) return null',
    test: {
      file: SENDER,
      title: 'waits while the account’s TRX does not cover the cost, because missing energy burns TRX',
    },
  },
  {
    rule: 'an account without TRX does not count as a failed attempt',
    file: 'indexer/payouts/payout-actor.ts',
    take: "obstacle.type === 'excessive' ? 'failed' : 'waiting'",
    put: "obstacle.type === 'dear' ? 'waiting' : 'failed'",
    test: {
      file: PAYOUTS,
      title: 'wait without a failed attempt, report it, and continue once the relayer is funded',
    },
  },
  {
    rule: 'the account covers all transactions that are signed in one turn together',
    file: 'indexer/relayer/tron/sign-tron-transaction.ts',
    take: 'addClaims(quote, await readReserved(db, key))',
    put: 'addClaims(quote, { feeLimitSun: 0n, bandwidth: 0n })',
    test: { file: PAYOUTS, title: 'sign only as many transactions at a time as the balance covers' },
  },
  {
    rule: 'energy does not pay for bytes',
    file: 'indexer/relayer/tron/missing-sun.ts',
    take: 'energyFeeSun + bandwidthFeeSun(claim.bandwidth, account.bandwidth)',
    put: 'energyFeeSun',
    test: {
      file: PAYOUTS,
      title: 'wait even with staked energy, because nodes reject a transaction whose bandwidth is not paid',
    },
  },
  {
    rule: 'bandwidth covers all bytes of a transaction, or none',
    file: 'shared/domain/chain-families/tron/bandwidth.ts',
    take: 'bytes <= quotaBytes ? 0n : bytes * SUN_PER_BYTE',
    put: 'bytes <= quotaBytes ? 0n : (bytes - quotaBytes) * SUN_PER_BYTE',
    test: { file: SENDER, title: 'burns TRX for all bytes if a quota covers only some of them' },
  },
  {
    rule: 'the TRX balance monitor knows that energy does not pay for bytes',
    file: 'indexer/relayer/tron/watch-tron-balance.ts',
    take: 'uncovered > 0n ?',
    put: 'uncovered < 0n ?',
    test: { file: NUMBERS, title: 'last for a hundred payouts only if they also pay for bytes' },
  },
  {
    rule: 'the penalty of a busy contract is counted once',
    file: 'shared/chain/tron/simulate-tron.ts',
    take: "{ energy_used: used }: TronResponse): bigint {\n  if (!isCount(used)) throw new TronNodeError(node, 'returned no energy')\n  return (BigInt(used)",
    put: "{ energy_used: used, energy_penalty: penalty = 0 }: TronResponse): bigint {\n  if (!isCount(used)) throw new TronNodeError(node, 'returned no energy')\n  return (BigInt(used + Number(penalty))",
    test: { file: NUMBERS, title: 'includes the penalty of a busy contract' },
  },
  {
    rule: 'charges that cost more than their amount need an explicit setting',
    file: 'shared/runtime/network-problems.ts',
    take: 'override.acceptLossyPayouts === true) return []',
    put: 'override.acceptLossyPayouts !== false) return []',
    test: { file: 'test/unit/runtime/networks-config.test.ts', title: 'below the cost of a payout' },
  },
  {
    rule: 'without its own minimum, a network uses the cost of a payout',
    file: 'shared/runtime/network-minimum.ts',
    take: 'ofAll !== null && ofAll > cost ? ofAll : cost',
    put: 'ofAll',
    test: {
      file: 'test/integration/api/create-charge.test.ts',
      title: 'is at least the cost of a payout if that exceeds a few cents',
    },
  },
  {
    rule: 'a duplicate response does not mean that the transaction was accepted',
    file: 'shared/chain/tron/broadcast-tron.ts',
    take: "return { outcome: 'known', code }",
    put: "return { outcome: 'taken', code }",
    test: {
      file: PAYOUTS,
      title: 'do not treat a transaction as accepted because a node that rejected it has seen it before',
    },
  },
  {
    rule: 'a node that is stalled or in the future does not set the time of our transactions',
    file: 'indexer/relayer/tron/find-frame.ts',
    take: 'findHeight(group, {',
    put: 'findHeight({ ...group, quorum: 1 }, {',
    test: {
      file: END,
      title: 'is changed neither by a node in the future nor by a stalled one of three',
    },
  },
  {
    rule: 'another transaction is signed only if a solidified block is past the expiration',
    file: 'indexer/relayer/tron/decide-outcome.ts',
    take: 'solidMs >= validUntil.getTime() + LAG_MS',
    put: 'solidMs >= validUntil.getTime() - LAG_MS',
    test: { file: END, title: 'is expired half a minute of blocks after its expiration' },
  },
  {
    rule: 'a solidified block ahead of our clock does not end a transaction',
    file: 'indexer/relayer/tron/decide-outcome.ts',
    take: ' && solidMs <= nowMs + MAX_AHEAD_MS',
    put: '',
    test: {
      file: LYING,
      title: 'is not ended early by a quorum whose solidified heads are ahead of our clock',
    },
  },
  {
    rule: 'a transaction expires only by a quorum of solidified blocks',
    file: 'indexer/relayer/tron/decide-outcome.ts',
    take: "findVerdict(past, rule, () => 'past')",
    put: "findVerdict(past, { ...rule, quorum: 1 }, () => 'past')",
    test: { file: END, title: 'is not expired by one node’s report while the other is silent or behind' },
  },
  {
    rule: 'one of two nodes cannot decide the outcome of a transaction',
    file: 'indexer/relayer/tron/decide-outcome.ts',
    take: 'findVerdict(views, rule, ({ outcome })',
    put: 'findVerdict(views, { ...rule, quorum: 1 }, ({ outcome })',
    test: { file: END, title: 'is final if a quorum reports success, and not if only one of two nodes does' },
  },
  {
    rule: 'a payout is not signed again if one node reports success',
    file: 'indexer/relayer/tron/decide-outcome.ts',
    take: 'return !success && isResolved(views, rule, of)',
    put: 'return isResolved(views, rule, of)',
    test: {
      file: END,
      title: 'stays open while one node reports success, regardless of the other reports',
    },
  },
  {
    rule: 'on TRON a quorum must report that a call reverts',
    file: 'indexer/relayer/tron/tron-relayer.ts',
    take: 'querySimulation(nodes, {',
    put: 'querySimulation({ ...nodes, quorum: 1 }, {',
    test: {
      file: LYING,
      title: 'does not fail after many reverts that only one node reports while the other is silent',
    },
  },
  {
    rule: 'on TRON a success without its event is examined again',
    file: 'indexer/relayer/tron/track-tron-transactions.ts',
    take: '  await reexamine(context)\n',
    put: '  void reexamine\n',
    test: {
      file: LYING,
      title: 'is reopened ten minutes after a node reported a false success, and paid',
    },
  },
  {
    rule: 'an excess at any block of any node blocks the expiry',
    file: 'indexer/reconciliation/verify-expiries.ts',
    take: 'return [...differences, ...others.flat()]',
    put: 'return [...differences]',
    test: {
      file: 'test/integration/tron/tron-expiry-verification.test.ts',
      title: 'block the expiry if only one node shows an excess, even at another solidified block',
    },
  },
  {
    rule: 'balances read while the block changes verify nothing, but can show an excess',
    file: 'indexer/reconciliation/tron/read-solidified-balances.ts',
    take: 'moved: { block: markOf(next), found: told }',
    put: 'moved: { block: markOf(next), found: [] }',
    test: {
      file: 'test/integration/tron/tron-expiry-verification.test.ts',
      title: 'are unverified if the node advanced during the read, since their block is unknown',
    },
  },
  {
    rule: 'the highest minimum of the accepted networks applies',
    file: 'api/charges/require-minimum.ts',
    take: 'left.micro > right.micro ? -1 : 1',
    put: 'left.micro > right.micro ? 1 : -1',
    test: {
      file: 'test/integration/api/create-charge.test.ts',
      title: 'uses the highest minimum of the accepted networks, own or default',
    },
  },
  {
    rule: 'a charge that another build has quarantined is released, one of this build is not',
    file: 'shared/db/charges/daemon/quarantined-charges.ts',
    take: 'and quarantined_by_build is distinct from ${build}',
    put: 'and quarantined_by_build = ${build}',
    test: {
      file: 'test/integration/charges/quarantined-charges.test.ts',
      title: 'retry charges that another build has quarantined, but not their own',
    },
  },
]
