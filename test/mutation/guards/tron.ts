import type { Mutant } from '../mutant.ts'

const API_ROLE = 'test/integration/privileges/api-role.test.ts'
/** Words that the titles of all tests of rejected attempts contain. */
const REFUSED = 'is rejected'
const CARE = 'test/integration/chain-feed/feed-maintenance.test.ts'
const TERMS = 'test/unit/domain/find-terms-problem.test.ts'
const SENDER = 'test/unit/relayer/tron-sender.test.ts'
const NUMBERS = 'test/unit/relayer/tron-numbers.test.ts'
const END = 'test/unit/relayer/tron-end.test.ts'
const LYING = 'test/integration/tron/tron-lying-results.test.ts'
const PAYOUTS = 'test/integration/tron/tron-payouts.test.ts'

/** Rules for TRON's addresses, transactions and fees, and for trusted factories, minimum amounts and quarantine. */
export const TRON_RULES: readonly Mutant[] = [
  {
    rule: 'a charge needs a factory whose code a daemon has verified',
    at: 'shared/db/migrations/000015_charge_terms.sql#validate_terms',
    take: 'and (c.is_simulated or exists (',
    put: 'and (true or exists (',
    test: { file: API_ROLE, title: REFUSED },
  },
  {
    rule: 'a factory is trusted only if its code matched our artifact',
    at: 'indexer/chain-feed/feed-maintenance.ts#createFeedMaintenance',
    take: "if (check === 'match') await believeFactory()",
    put: 'await believeFactory()',
    test: { file: CARE, title: 'rejects a mistyped factory address' },
  },
  {
    rule: 'a configured factory is trusted without verification only if it is the fixed factory of its family',
    at: 'shared/db/charges/daemon/service-terms.ts#recordServiceTerms',
    take: 'CHAIN_FAMILIES[family].fixedFactory === factory',
    put: 'CHAIN_FAMILIES[family].fixedFactory !== undefined && factory !== undefined',
    test: { file: 'test/integration/db/service-terms.test.ts', title: 'are trusted once per chain family' },
  },
  {
    rule: 'the events of a charge on TRON contain its own address',
    at: 'shared/db/migrations/000015_charge_terms.sql#validate_terms',
    take: "c.family = 'tron' and e.value = format_tron_address(c.address)",
    put: "c.family = 'tron'",
    test: { file: API_ROLE, title: REFUSED },
  },
  {
    rule: 'a charge does not accept pairs of two families',
    at: 'shared/db/migrations/000015_charge_terms.sql#validate_terms',
    take: 'where d.family <> c.family)',
    put: 'where false)',
    test: { file: API_ROLE, title: REFUSED },
  },
  {
    rule: 'the daemon does not trust a charge that accepts pairs of two families',
    at: 'shared/domain/find-terms-problem.ts#findTermsProblem',
    take: 'findPairProblem(charge) ??',
    put: '',
    test: {
      file: TERMS,
      title: 'rejects a charge that accepts a pair whose family differs from the address’s family',
    },
  },
  {
    rule: 'a call is signed only if our TRX and energy cover its cost',
    at: 'indexer/relayer/tron/quote-tron-call.ts#findObstacle',
    take: 'if (missing === 0n) return null',
    put: 'if (missing >= 0n) return null',
    test: { file: SENDER, title: 'waits while the account’s TRX does not cover the cost, because missing' },
  },
  {
    rule: 'a lack of TRX in our account does not count as a failed attempt',
    at: 'indexer/payouts/payout-actor.ts#weigh',
    take: "obstacle.type === 'excessive' ? 'failed' : 'waiting'",
    put: "obstacle.type === 'dear' ? 'waiting' : 'failed'",
    test: {
      file: PAYOUTS,
      title: 'wait without a failed attempt, report the missing TRX, and continue once the relayer',
    },
  },
  {
    rule: 'our account’s balance must cover a new transaction together with all unresolved transactions',
    at: 'indexer/relayer/tron/sign-tron-transaction.ts#signTronTransaction',
    take: 'addClaims(quote, await readReserved(db, key))',
    put: 'addClaims(quote, { feeLimitSun: 0n, bandwidth: 0n })',
    test: { file: PAYOUTS, title: 'sign only as many transactions at a time as the balance covers' },
  },
  {
    rule: 'staked energy does not pay for bandwidth',
    at: 'indexer/relayer/tron/missing-sun.ts#missingSun',
    take: 'energyFeeSun + bandwidthFeeSun(claim.bandwidth, account.bandwidth)',
    put: 'energyFeeSun',
    test: { file: PAYOUTS, title: 'wait even with staked energy, because nodes reject a transaction whose' },
  },
  {
    rule: 'bandwidth covers all bytes of a transaction, or no bytes',
    at: 'shared/domain/chain-families/tron/bandwidth.ts#bandwidthFeeSun',
    take: 'bytes <= quotaBytes ? 0n : bytes * SUN_PER_BYTE',
    put: 'bytes <= quotaBytes ? 0n : (bytes - quotaBytes) * SUN_PER_BYTE',
    test: { file: SENDER, title: 'requires TRX for all bytes if a quota covers only some of them' },
  },
  {
    rule: 'the TRX balance monitor does not count energy as payment for bytes',
    at: 'indexer/relayer/tron/watch-tron-balance.ts#missingForPayoutsSun',
    take: 'uncovered > 0n ?',
    put: 'uncovered < 0n ?',
    test: { file: NUMBERS, title: 'cover a hundred payouts only if they also cover the bandwidth' },
  },
  {
    rule: 'the penalty of a busy contract is counted once',
    at: 'shared/chain/tron/simulate-tron.ts#getLikelyEnergy',
    take: "}: TronResponse): bigint { if (!isCount(used)) throw new TronNodeError(node, 'returned no energy') return (BigInt(used",
    put: ", energy_penalty: penalty = 0 }: TronResponse): bigint {\nif (!isCount(used)) throw new TronNodeError(node, 'returned no energy')\nreturn (BigInt(used + Number(penalty)",
    test: { file: NUMBERS, title: 'includes the energy penalty of a busy contract' },
  },
  {
    rule: 'a minimum payout or charge below the cost of a payout needs an explicit setting',
    at: 'shared/runtime/network-problems.ts#lossProblems',
    take: 'override.acceptLossyPayouts === true) return []',
    put: 'override.acceptLossyPayouts !== false) return []',
    test: { file: 'test/unit/runtime/networks-config.test.ts', title: 'below the cost of a payout' },
  },
  {
    rule: 'a network without its own minimum requires at least the cost of a payout',
    at: 'shared/runtime/network-minimum.ts#minimumOn',
    take: 'ofAll !== null && ofAll > cost ? ofAll : cost',
    put: 'ofAll',
    test: {
      file: 'test/integration/api/create-charge.test.ts',
      title:
        'requires at least the configured payout cost of a network, unless the network has its own minimum',
    },
  },
  {
    rule: 'the response that a transaction is already known does not count as acceptance',
    at: 'shared/chain/tron/broadcast-tron.ts#broadcastTron',
    take: "return { outcome: 'known', code }",
    put: "return { outcome: 'taken', code }",
    test: { file: PAYOUTS, title: 'do not treat a transaction as accepted if the only node that already' },
  },
  {
    rule: 'a single node whose head is stalled or ahead of the others does not set the time of our transactions',
    at: 'indexer/relayer/tron/find-frame.ts#findFrame',
    take: 'findHeight(group, {',
    put: 'findHeight({ ...group, quorum: 1 }, {',
    test: { file: END, title: 'is not changed by one of three nodes that is in the future or stalled' },
  },
  {
    rule: 'another transaction is signed only if a solidified block is past the expiration',
    at: 'indexer/relayer/tron/decide-outcome.ts#isResolved',
    take: 'solidMs >= validUntil.getTime() + LAG_MS',
    put: 'solidMs >= validUntil.getTime() - LAG_MS',
    test: {
      file: END,
      title:
        'is expired only half a minute of block time after the expiration, because a load-balanced node can',
    },
  },
  {
    rule: 'a solidified block ahead of our clock does not end a transaction',
    at: 'indexer/relayer/tron/decide-outcome.ts#isResolved',
    take: '&& solidMs <= nowMs + MAX_AHEAD_MS',
    put: '',
    test: { file: LYING, title: 'does not expire early because of a quorum’s solidified heads ahead of our' },
  },
  {
    rule: 'a transaction counts as expired only if a quorum of nodes has a solidified block past the expiration',
    at: 'indexer/relayer/tron/decide-outcome.ts#isResolved',
    take: "findVerdict(past, rule, () => 'past')",
    put: "findVerdict(past, { ...rule, quorum: 1 }, () => 'past')",
    test: {
      file: END,
      title: 'is not expired on one node’s report while the other node is silent or behind',
    },
  },
  {
    rule: 'one of two nodes cannot decide the outcome of a transaction',
    at: 'indexer/relayer/tron/decide-outcome.ts#decideOutcome',
    take: 'findVerdict(views, rule, ({ outcome })',
    put: 'findVerdict(views, { ...rule, quorum: 1 }, ({ outcome })',
    test: { file: END, title: 'is final if a quorum reports success, but not if only one of two nodes does' },
  },
  {
    rule: 'a payout is not signed again if one node reports success',
    at: 'indexer/relayer/tron/decide-outcome.ts#decideOutcome',
    take: 'return !success && isResolved(views, rule, of)',
    put: 'return isResolved(views, rule, of)',
    test: {
      file: END,
      title: 'is undecided while only one node reports success, regardless of the other reports',
    },
  },
  {
    rule: 'on TRON a call counts as reverting only if a quorum reports it',
    at: 'indexer/relayer/tron/tron-relayer.ts#createTronRelayer',
    take: 'querySimulation(nodes, {',
    put: 'querySimulation({ ...nodes, quorum: 1 }, {',
    test: { file: LYING, title: 'does not fail after ten reverts that only one node reports while' },
  },
  {
    rule: 'on TRON a successful transaction without its event is examined again',
    at: 'indexer/relayer/tron/track-tron-transactions.ts#trackTronTransactions',
    take: 'await reexamine(context)',
    put: 'void reexamine',
    test: { file: LYING, title: 'is reopened ten minutes after a node reported a false success, and then' },
  },
  {
    rule: 'an excess balance that any node shows, at any block, prevents the expiry',
    at: 'indexer/reconciliation/verify-expiries.ts#createExpiryVerifier',
    take: 'return [...differences, ...others.flat()]',
    put: 'return [...differences]',
    test: {
      file: 'test/integration/tron/tron-expiry-verification.test.ts',
      title: 'block the expiry even if only one node shows an excess, at another solidified block',
    },
  },
  {
    rule: 'a search counts rows only up to the confirmed head of the quorum',
    at: 'indexer/reconciliation/scan-charges.ts#queryAll',
    take: 'Math.min(toBlock, confirmedHeadNumber)',
    put: 'toBlock',
    test: {
      file: 'test/integration/tron/tron-expiry-verification.test.ts',
      title: 'lead to a search whose rows do not count above the quorum’s confirmed head',
    },
  },
  {
    rule: 'balances read while the block changes do not verify an expiry, but can show an excess',
    at: 'indexer/reconciliation/tron/read-solidified-balances.ts#createSolidifiedBalanceReader',
    take: 'moved: { block: markOf(next), found: told }',
    put: 'moved: { block: markOf(next), found: [] }',
    test: {
      file: 'test/integration/tron/tron-expiry-verification.test.ts',
      title: 'are unverified if the node advanced during the read, because their block is then',
    },
  },
  {
    rule: 'the highest minimum of the accepted networks applies',
    at: 'api/charges/require-minimum.ts#requireMinimum',
    take: 'left.micro > right.micro ? -1 : 1',
    put: 'left.micro > right.micro ? 1 : -1',
    test: {
      file: 'test/integration/api/create-charge.test.ts',
      title:
        'uses the highest minimum of the accepted networks, each of which has its own or the default minimum',
    },
  },
  {
    rule: 'a charge is released if another build has quarantined it, but not if this build has',
    at: 'shared/db/charges/daemon/quarantined-charges.ts#releaseQuarantinedByOtherBuilds',
    take: 'and quarantined_by_build is distinct from ${build}',
    put: 'and quarantined_by_build = ${build}',
    test: {
      file: 'test/integration/charges/quarantined-charges.test.ts',
      title: 'retry charges that another build has quarantined, but not charges',
    },
  },
]
