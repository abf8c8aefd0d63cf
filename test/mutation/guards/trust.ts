import type { Mutant } from '../mutant.ts'

const NODES = 'test/integration/chain/nodes.test.ts'
const EVIDENCE = 'test/integration/reconciliation/expiry-verification.test.ts'
const SIGNING = 'test/unit/relayer/find-signing-problem.test.ts'
const NATIVE = 'contracts/test/native-coin.t.sol'

/** Rules that keep the service from trusting any single node, feed, process or role. */
export const TRUST_RULES: readonly Mutant[] = [
  {
    rule: 'the response of a node is used only after its chain id is verified',
    at: 'shared/chain/nodes/verify-chain-id.ts#createChainIdGuard',
    take: 'foreign = servedChainId === chainId ? null : { servedChainId, atMs: nowMs() }',
    put: '',
    test: {
      file: NODES,
      title: 'never uses the responses of that node, whether it is queried first or last',
    },
  },
  {
    rule: 'the chain id of a node is verified again after a failure',
    at: 'shared/chain/nodes/verify-chain-id.ts#createChainIdGuard',
    take: 'verifiedAtMs = null',
    put: '',
    test: { file: NODES, title: 'does not trust a node after a failure until it has returned its chain id' },
  },
  {
    rule: 'the chain id of a node is verified again periodically',
    at: 'shared/chain/nodes/verify-chain-id.ts#createChainIdGuard',
    take: 'verifiedAtMs !== null && nowMs() - verifiedAtMs < TRUSTED_FOR_MS',
    put: 'verifiedAtMs !== null',
    test: { file: NODES, title: 'trusts a node for a minute, and then requests its chain id again' },
  },
  {
    rule: 'a response that arrives while another request fails is used only after the chain id is verified again',
    at: 'shared/chain/nodes/verify-chain-id.ts#createChainIdGuard',
    take: 'if (failures !== failuresBefore) await verify()',
    put: '',
    test: {
      file: NODES,
      title: 'does not trust a response if another request failed while it was in flight',
    },
  },
  {
    rule: 'only one place retries: an outage costs one request per node and round',
    at: 'shared/chain/nodes/fallback-transport.ts#requestInTurn',
    take: 'for (let round = 0; round < rounds; round += 1)',
    put: 'for (let round = 0; round < rounds * 3; round += 1)',
    test: { file: NODES, title: 'sends one request per node and round if no node responds' },
  },
  {
    rule: 'a node that failed recently is queried after the others',
    at: 'shared/chain/nodes/fallback-transport.ts#inOrder',
    take: 'Number(a.hasFailed) - Number(b.hasFailed)',
    put: 'Number(b.hasFailed) - Number(a.hasFailed)',
    test: { file: NODES, title: 'queries a failed node only after the others, until it responds again' },
  },
  {
    rule: 'once a quorum has responded, a query for heights does not wait for a node that failed recently',
    at: 'shared/chain/nodes/query-nodes.ts#queryResponsive',
    take: 'asked.filter(({ node }) => !failed.includes(node))',
    put: 'asked',
    test: { file: 'test/unit/chain/nodes/query-nodes.test.ts', title: 'does not wait for a recently failed' },
  },
  {
    rule: 'the missing row that was checked longest ago is checked first',
    at: 'indexer/chain-feed/resolve-missing.ts#resolveMissing',
    take: 'if (ids.length > 0) await markChecked(deps.sql, table, ids)',
    put: '',
    test: {
      file: 'test/integration/chain-feed/resolve-missing.test.ts',
      title: 'resolves a row even if more unresolvable rows',
    },
  },
  {
    rule: 'a call with a value is not signed',
    at: 'indexer/relayer/find-signing-problem.ts#findSigningProblem',
    take: 'if (value !== 0n) return `the call sends ${value} wei: must be 0`',
    put: '',
    test: { file: SIGNING, title: 'does not sign a transaction' },
  },
  {
    rule: 'a call for another chain is not signed',
    at: 'indexer/relayer/find-signing-problem.ts#findSigningProblem',
    take: 'if (chainId !== permits.chainId) return `the chain is ${chainId}: must be ${permits.chainId}`',
    put: '',
    test: { file: SIGNING, title: 'does not sign a transaction' },
  },
  {
    rule: 'a call for an unknown Safe is not signed',
    at: 'indexer/relayer/find-signing-problem.ts#findStepProblem',
    take: 'permits.charges.some(({ address, isEscrow }) => isEscrow && address === step.safeAddress)',
    put: 'permits.charges.some(({ isEscrow }) => isEscrow)',
    test: { file: SIGNING, title: 'does not sign a transaction' },
  },
  {
    rule: 'a split does not pay an incentive to itself',
    at: 'contracts/src/PaymentSplit.sol#distribute',
    take: 'if (distributor == address(this)) distributor = address(0);',
    put: '',
    test: { file: 'contracts/test/distribute.t.sol', title: 'testFuzz_shares_theIncentive_whenTheSplitItse' },
  },
  {
    rule: 'a share in the native coin that cannot be paid is never held',
    at: 'contracts/src/PaymentSplit.sol#_payOrHold',
    take: 'if (token == NATIVE_COIN) revert NativePayoutFailed(recipient, amount);',
    put: '',
    test: { file: NATIVE, title: 'testFuzz_moves_nothing_whenOneCannotBePaid' },
  },
  {
    rule: "on Arc's chain ids the native coin is not distributed",
    at: 'contracts/src/PaymentSplit.sol#_balanceAndHeld',
    take: 'if (block.chainid == ARC || block.chainid == ARC_TESTNET) revert NativeUnsupported(block.chainid);',
    put: '',
    test: { file: NATIVE, title: 'test_isRefused_onArc_whereItIsAToken' },
  },
  {
    rule: 'a charge expires only after its balances were read',
    at: 'shared/db/charges/daemon/charge-expiry.ts#mayExpire',
    take: 'and ${isExpiryVerified(db, rule.silentSeconds)}`',
    put: '`',
    test: { file: EVIDENCE, title: 'retries a failed read of balances, and lets the charge expire only' },
  },
  {
    rule: 'a charge expires only after its blocks were scanned',
    at: 'shared/db/chain-facts/daemon/expiry-verifications.ts#isExpiryVerified',
    take: 'and s.scanned_block_number >= e.block_number',
    put: '',
    test: { file: EVIDENCE, title: 'confirms an undetected payment that no balance shows' },
  },
  {
    rule: 'all blocks since the creation of an imported charge are searched, even if its balances match',
    at: 'indexer/reconciliation/verify-expiries.ts#createExpiryVerifier',
    take: '&& isRead && claim.needsSearch',
    put: '&& isRead && searches < 0',
    test: { file: EVIDENCE, title: 'finds payments that were made and distributed while the charge' },
  },
  {
    rule: 'money from the charge itself is not credited',
    at: 'indexer/chain-feed/observe.ts#findRejectionReason',
    take: "if (sender === charge.address || sender === charge.splitAddress) return 'own_money'",
    put: '',
    test: { file: 'test/unit/chain-feed/observe.test.ts', title: 'records transfers from the charge' },
  },
  {
    rule: 'dust does not delay the settlement',
    at: 'indexer/payouts/update-ledgers.ts#isSettled',
    take: 'const settling = ledgers.filter(({ settlementAtomic }) => settlementAtomic > 0n)',
    put: 'const settling = ledgers.map((ledger) => ({ ...ledger, settlementAtomic: payableOf(ledger) }))',
    test: {
      file: 'test/integration/payouts/late-money.test.ts',
      title: 'neither delay the settlement nor cost gas if',
    },
  },
  {
    rule: 'a node on the wrong chain is queried again only after a pause',
    at: 'shared/chain/nodes/verify-chain-id.ts#createChainIdGuard',
    take: 'nowMs() - foreign.atMs < FOREIGN_FOR_MS',
    put: 'true',
    test: { file: 'test/integration/chain/nodes.test.ts', title: 'queries a node of another chain again' },
  },
  {
    rule: 'a response without a usable result counts as a failure of the node that sent it',
    at: 'shared/chain/nodes/parse-response.ts#parseResult',
    take: 'if (hasForm(call, result))',
    put: 'if (call)',
    test: { file: 'test/integration/chain/nodes.test.ts', title: 'queries the next node if one returns' },
  },
  {
    rule: 'a list of logs with an invalid entry counts as a failure of the node that sent it',
    at: 'shared/chain/nodes/parse-response.ts#isLogs',
    take: 'Array.isArray(value) && value.every(isLog)',
    put: 'Array.isArray(value)',
    test: { file: 'test/integration/chain/nodes.test.ts', title: 'queries the next node if one returns' },
  },
  {
    rule: 'text from a node is truncated before any code reads it',
    at: 'shared/chain/nodes/node-errors.ts#cutNodeText',
    take: '.slice(0, MAX_NODE_TEXT)',
    put: '',
    test: {
      file: 'test/integration/chain/nodes.test.ts',
      title: 'truncates a node’s text to 2,000 characters',
    },
  },
  {
    rule: 'a URL that a contract names is not requested',
    at: 'shared/chain/nodes/client.ts#createChainClient',
    take: 'ccipRead: false',
    put: '',
    test: {
      file: 'test/integration/chain/nodes.test.ts',
      title: 'does not request a URL that a contract’s revert names',
    },
  },
  {
    rule: 'while a feed is ahead of its chain, its pairs are not published',
    at: 'indexer/chain-feed/feed-maintenance.ts#createFeedMaintenance',
    take: 'if (bounds.isAbove()) {',
    put: 'if (Math.random() > 2) {',
    test: {
      file: 'test/integration/chain-feed/feed-maintenance.test.ts',
      title: 'is above the chain, and logs the repair command once',
    },
  },
  {
    rule: 'a rescued split has the address that follows from its terms',
    at: 'indexer/commands/rescue.ts#run',
    take: 'requireKnownFactory(charge)',
    put: '',
    test: { file: 'test/integration/commands/rescue.test.ts', title: 'signs nothing for terms' },
  },
  {
    rule: 'a rescue uses only a factory with our code, regardless of the terms',
    at: 'indexer/commands/rescue.ts#requireFactory',
    take: "if (before !== 'missing' || rescuer.deployFactory === null)",
    put: "if (before !== 'missing' && before !== 'differ')",
    test: { file: 'test/integration/commands/rescue-tron.test.ts', title: 'signs nothing for a factory' },
  },
  {
    rule: 'the headers of a node are sent to no other host, even after a redirect',
    at: 'shared/chain/nodes/node-transport.ts#post',
    take: "{ headers, redirect: 'error' as const }",
    put: '{ headers }',
    test: {
      file: 'test/integration/chain/node-headers.test.ts',
      title: 'is the only host that receives the header,',
    },
  },
  {
    rule: 'votes are counted per operator, not per node',
    at: 'shared/chain/nodes/quorum.ts#findDeciders',
    take: '[...new Set(group.map(({ operator }) => operator))]',
    put: 'group.map(({ operator }) => operator)',
    test: {
      file: 'test/unit/chain/nodes/quorum.test.ts',
      title: 'counts two nodes of one operator once',
    },
  },
  {
    rule: 'only a head that a quorum has reached is used',
    at: 'shared/chain/nodes/node-health.ts#findQuorumHeight',
    take: 'toSorted((a, b) => b - a)[quorum - 1]',
    put: 'toSorted((a, b) => b - a)[0]',
    test: { file: 'test/integration/reconciliation/reconcile.test.ts', title: 'uses the head that a quorum' },
  },
  {
    rule: 'the confirmed head is the highest block at confirmation depth',
    at: 'shared/chain/nodes/query-confirmed-head.ts#queryConfirmedHead',
    take: '- deployment.confirmations + 1',
    put: '',
    test: {
      file: 'test/integration/reconciliation/reconcile.test.ts',
      title: 'credits a payment only once it is confirmed',
    },
  },
  {
    rule: 'receipts are compared by the content of their logs',
    at: 'indexer/corroboration/query-effects.ts#logToText',
    take: "return [logIndex, address, ...topics, data].join(' ')",
    put: 'return String([logIndex, address, topics, data].length)',
    test: {
      file: 'test/integration/corroboration/corroborate-rows.test.ts',
      title: 'does not count a row while two nodes show different amounts, and uses the',
    },
  },
  {
    rule: 'a missing receipt proves absence only if the block does not list the transaction',
    at: 'shared/chain/nodes/receipts.ts#requireAbsence',
    take: 'hash === null || transactions.some(',
    put: 'hash === null || transactions.slice(0, 0).some(',
    test: {
      file: 'test/integration/reconciliation/reconcile.test.ts',
      title:
        'treats a missing receipt as a missing response while the node lists the transaction in its block',
    },
  },
  {
    rule: 'a row that a quorum denies at depth is orphaned',
    at: 'indexer/corroboration/record-agreed.ts#denyOthers',
    take: 'denied.push(...(await markDenied(db, table, others)))',
    put: 'if (others.length < 0) await markDenied(db, table, others)',
    test: {
      file: 'test/integration/corroboration/corroborate-rows.test.ts',
      title: 'orphans a payment that the feed invents in a real transaction, and raises an alert',
    },
  },
  {
    rule: 'a chain is quiet only if every node responds',
    at: 'indexer/chain-feed/feed-maintenance.ts#noticeQuiet',
    take: 'silent.length + wrongChain.length > 0 || heads.length < nodes.length',
    put: 'heads.length > nodes.length',
    test: {
      file: 'test/integration/chain-feed/feed-maintenance.test.ts',
      title: 'does not treat a chain as quiet while one node fails',
    },
  },
  {
    rule: 'a block range is completed only after a quorum has reported each listed transaction',
    at: 'indexer/reconciliation/scan-charges.ts#scanCharges',
    take: 'isUnsure: all.includes(null)',
    put: 'isUnsure: all.length < 0',
    test: {
      file: 'test/integration/reconciliation/reconcile.test.ts',
      title: 'does not complete a range while no quorum confirms or denies one of its logs, and records',
    },
  },
  {
    rule: 'the database rejects a credit without a quorum',
    at: 'shared/db/migrations/000007_quorum.sql#require_agreed_rows',
    take: 'and not is_agreed(n.agreed_by, n.chain_id); else',
    put: 'and false; else',
    test: { file: 'test/integration/db/require-quorum.test.ts', title: 'without a quorum' },
  },
  {
    rule: 'the database counts several votes of one operator as one',
    at: 'shared/db/migrations/000007_quorum.sql#is_agreed',
    take: 'select count(distinct v) from',
    put: 'select count(v) from',
    test: { file: 'test/integration/db/require-quorum.test.ts', title: 'with two votes of one operator' },
  },
  {
    rule: 'a trusted node decides alone only while the operator’s override is active',
    at: 'shared/db/chain-facts/daemon/node-trusts.ts#listNodeTrusts',
    take: 'from node_trusts where ends_at > now()',
    put: 'from node_trusts where true',
    test: {
      file: 'test/integration/db/require-quorum.test.ts',
      title: 'counts with a trusted node only while the operator’s order is in force',
    },
  },
  {
    rule: 'a node cannot choose the chain that a keeper signs for',
    at: 'shared/chain/nodes/send-signed.ts#sendSigned',
    take: 'chainId: client.chain.id',
    put: 'chainId: 1',
    test: { file: 'test/integration/chain/send-signed.test.ts', title: 'has our chain id, gas and fees' },
  },
]
