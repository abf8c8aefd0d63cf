import type { Mutant } from '../mutant.ts'

const NODES = 'test/integration/chain/nodes.test.ts'
const EVIDENCE = 'test/integration/reconciliation/expiry-verification.test.ts'
const SIGNING = 'test/unit/relayer/find-signing-problem.test.ts'
const NATIVE = 'contracts/test/native-coin.t.sol'

/** No single node, feed, process or role is trusted. */
export const BELIEVING_RULES: readonly Mutant[] = [
  {
    rule: 'the response of a node is used only after its chain id is verified',
    file: 'shared/chain/nodes/verify-chain-id.ts',
    take: '    foreign = servedChainId === chainId ? null : { servedChainId, atMs: nowMs() }\n',
    put: '',
    test: { file: NODES, title: 'never uses its responses, whether it is queried first or last' },
  },
  {
    rule: 'the chain id of a node is verified again after a failure',
    file: 'shared/chain/nodes/verify-chain-id.ts',
    take: '    failures += 1\n    verifiedAtMs = null\n',
    put: '    failures += 1\n',
    test: {
      file: NODES,
      title: 'does not trust a node after a failure until it has returned its chain id again',
    },
  },
  {
    rule: 'the chain id of a node is verified again periodically',
    file: 'shared/chain/nodes/verify-chain-id.ts',
    take: 'verifiedAtMs !== null && nowMs() - verifiedAtMs < TRUSTED_FOR_MS',
    put: 'verifiedAtMs !== null',
    test: { file: NODES, title: 'trusts a node for a minute, and then requests its chain id again' },
  },
  {
    rule: 'a response that arrived while another request failed is not trusted',
    file: 'shared/chain/nodes/verify-chain-id.ts',
    take: '      if (failures !== failuresBefore) await verify()\n',
    put: '',
    test: { file: NODES, title: 'does not trust a response that arrived while another request failed' },
  },
  {
    rule: 'only one place retries: an outage costs one request per node and round',
    file: 'shared/chain/nodes/fallback-transport.ts',
    take: 'for (let round = 0; round < rounds; round += 1)',
    put: 'for (let round = 0; round < rounds * 3; round += 1)',
    test: { file: NODES, title: 'costs one request per node and round if no node responds' },
  },
  {
    rule: 'a node that failed recently is queried after the others',
    file: 'shared/chain/nodes/fallback-transport.ts',
    take: '[...nodes.filter((node) => !hasFailed(node)), ...nodes.filter(hasFailed)]',
    put: '[...nodes.filter(hasFailed), ...nodes.filter((node) => !hasFailed(node))]',
    test: { file: NODES, title: 'queries a node that failed after the others, until it responds again' },
  },
  {
    rule: 'a quorum of heights does not wait for a node that hung recently',
    file: 'shared/chain/nodes/query-nodes.ts',
    take: 'asked.filter(({ node }) => !failed.includes(node))',
    put: 'asked',
    test: {
      file: 'test/unit/chain/nodes/query-nodes.test.ts',
      title: 'does not wait for a recently failed node once a quorum has responded',
    },
  },
  {
    rule: 'the missing row that was checked longest ago is checked first',
    file: 'indexer/chain-feed/resolve-missing.ts',
    take: '    if (ids.length > 0) await markChecked(deps.sql, table, ids)\n',
    put: '',
    test: {
      file: 'test/integration/chain-feed/resolve-missing.test.ts',
      title: 'reaches the rows that can be decided, no matter how many undecidable ones precede them',
    },
  },
  {
    rule: 'a call with a value is not signed',
    file: 'indexer/relayer/find-signing-problem.ts',
    take: '  if (value !== 0n) return `a value of ${value} wei is not 0`\n',
    put: '',
    test: { file: SIGNING, title: 'does not sign a transaction' },
  },
  {
    rule: 'a call for another chain is not signed',
    file: 'indexer/relayer/find-signing-problem.ts',
    take: '  if (chainId !== permits.chainId) return `chain ${chainId} is not ${permits.chainId}`\n',
    put: '',
    test: { file: SIGNING, title: 'does not sign a transaction' },
  },
  {
    rule: 'a call for an unknown Safe is not signed',
    file: 'indexer/relayer/find-signing-problem.ts',
    take: 'permits.charges.some(({ address, isEscrow }) => isEscrow && address === step.safeAddress)',
    put: 'permits.charges.some(({ isEscrow }) => isEscrow)',
    test: { file: SIGNING, title: 'does not sign a transaction' },
  },
  {
    rule: 'a split pays no incentive to itself',
    file: 'contracts/src/PaymentSplit.sol',
    take: '        if (distributor == address(this)) distributor = address(0);\n',
    put: '',
    test: {
      file: 'contracts/test/distribute.t.sol',
      title: 'testFuzz_shares_theIncentive_whenTheSplitItselfIsNamed',
    },
  },
  {
    rule: 'a native share that cannot be delivered is never held',
    file: 'contracts/src/PaymentSplit.sol',
    take: '        if (token == NATIVE_COIN) revert NativePayoutFailed(recipient, amount);\n',
    put: '',
    test: { file: NATIVE, title: 'testFuzz_moves_nothing_whenOneCannotBePaid' },
  },
  {
    rule: "on Arc's chain ids the native coin is not distributed",
    file: 'contracts/src/PaymentSplit.sol',
    take: '        if (block.chainid == ARC || block.chainid == ARC_TESTNET) revert NativeUnsupported(block.chainid);\n',
    put: '',
    test: { file: NATIVE, title: 'test_isRefused_onArc_whereItIsAToken' },
  },
  {
    rule: 'a charge expires only after its balances were read',
    file: 'shared/db/charges/daemon/charge-expiry.ts',
    take: '      and ${isExpiryVerified(db, rule.silentSeconds)}`',
    put: '`',
    test: {
      file: EVIDENCE,
      title: 'treats a failed read as missing, and retries it',
    },
  },
  {
    rule: 'a charge expires only after its blocks were scanned',
    file: 'shared/db/chain-facts/daemon/expiry-verifications.ts',
    take: '              and s.scanned_number >= e.block_number\n',
    put: '',
    test: {
      file: EVIDENCE,
      title:
        'confirms an undetected payment that was distributed before the deadline, which no balance shows',
    },
  },
  {
    rule: 'the whole life of an imported charge is searched, even if its balances match',
    file: 'indexer/reconciliation/verify-expiries.ts',
    take: ' && isRead && claim.needsSearch\n',
    put: ' && isRead && searches < 0\n',
    test: { file: EVIDENCE, title: 'finds payments that were distributed while the charge was unknown' },
  },
  {
    rule: 'money from the charge itself is not credited',
    file: 'indexer/chain-feed/observe.ts',
    take: "  if (sender === charge.address || sender === charge.splitAddress) return 'own_money'\n",
    put: '',
    test: {
      file: 'test/unit/chain-feed/observe.test.ts',
      title: 'records transfers from the charge itself, its Safe or its split without crediting them',
    },
  },
  {
    rule: 'dust does not delay the settlement',
    file: 'indexer/payouts/update-ledgers.ts',
    take: 'const settling = ledgers.filter(({ settlementAtomic }) => settlementAtomic > 0n)',
    put: 'const settling = ledgers.map((ledger) => ({ ...ledger, settlementAtomic: payableOf(ledger) }))',
    test: {
      file: 'test/integration/payouts/late-money.test.ts',
      title:
        'do not delay the settlement or burn gas as dust, no matter how often and on which pair they arrive',
    },
  },
  {
    rule: 'a node on the wrong chain is queried again only after a pause',
    file: 'shared/chain/nodes/verify-chain-id.ts',
    take: 'nowMs() - foreign.atMs < FOREIGN_FOR_MS',
    put: 'true',
    test: {
      file: 'test/integration/chain/nodes.test.ts',
      title: 'queries a node of another chain again after 10 s, and uses it once it is fixed',
    },
  },
  {
    rule: 'a response without a usable result is a failure of its node',
    file: 'shared/chain/nodes/parse-response.ts',
    take: 'if (hasForm(call, result))',
    put: 'if (call)',
    test: { file: 'test/integration/chain/nodes.test.ts', title: 'queries the next node if one returns' },
  },
  {
    rule: 'a list with an entry that is not a log is a failure of its node',
    file: 'shared/chain/nodes/parse-response.ts',
    take: 'Array.isArray(value) && value.every(isLog)',
    put: 'Array.isArray(value)',
    test: { file: 'test/integration/chain/nodes.test.ts', title: 'queries the next node if one returns' },
  },
  {
    rule: 'the text of a node is truncated before any code reads it',
    file: 'shared/chain/nodes/node-errors.ts',
    take: '.slice(0, MAX_NODE_TEXT)',
    put: '',
    test: { file: 'test/integration/chain/nodes.test.ts', title: 'truncates a node’s text to 2 kB' },
  },
  {
    rule: 'a URL that a contract names is not requested',
    file: 'shared/chain/nodes/client.ts',
    take: 'ccipRead: false,',
    put: '',
    test: { file: 'test/integration/chain/nodes.test.ts', title: 'requests no URL that a contract names' },
  },
  {
    rule: 'the pairs of a feed ahead of its chain are not published',
    file: 'indexer/chain-feed/feed-maintenance.ts',
    take: 'if (bounds.isAbove()) {',
    put: 'if (Math.random() > 2) {',
    test: {
      file: 'test/integration/chain-feed/feed-maintenance.test.ts',
      title: 'is above, and names the command for the repair once',
    },
  },
  {
    rule: 'a rescued split has the address that follows from its terms',
    file: 'indexer/commands/rescue.ts',
    take: '  requireKnownFactory(charge)\n',
    put: '',
    test: { file: 'test/integration/commands/rescue.test.ts', title: 'signs nothing for terms' },
  },
  {
    rule: 'a rescue uses only a factory with our code, regardless of the terms',
    file: 'indexer/commands/rescue.ts',
    take: "  if (before !== 'missing' || rescuer.deployFactory === null)\n",
    put: "  if (before !== 'missing' && before !== 'differ')\n",
    test: {
      file: 'test/integration/commands/rescue-tron.test.ts',
      title: 'signs nothing for a factory with unknown code, nor for terms that do not match the address',
    },
  },
  {
    rule: 'the headers of a node are sent to no other host, even after a redirect',
    file: 'shared/chain/nodes/node-transport.ts',
    take: "{ headers, redirect: 'error' as const }",
    put: '{ headers }',
    test: {
      file: 'test/integration/chain/node-headers.test.ts',
      title: 'is the only host that receives it',
    },
  },
  {
    rule: 'votes are counted by operator',
    file: 'shared/chain/nodes/quorum.ts',
    take: '[...new Set(group.map(({ operator }) => operator))]',
    put: 'group.map(({ operator }) => operator)',
    test: { file: 'test/unit/chain/nodes/quorum.test.ts', title: 'counts two nodes of one operator once' },
  },
  {
    rule: 'a quorum must have reached the head',
    file: 'shared/chain/nodes/node-health.ts',
    take: 'toSorted((a, b) => b - a)[quorum - 1]',
    put: 'toSorted((a, b) => b - a)[0]',
    test: {
      file: 'test/integration/reconciliation/reconcile.test.ts',
      title: 'uses the head that a quorum has reached, not a higher one',
    },
  },
  {
    rule: 'the confirmed head is at depth, not the head',
    file: 'shared/chain/nodes/query-confirmed-head.ts',
    take: ' - deployment.confirmations + 1',
    put: '',
    test: {
      file: 'test/integration/reconciliation/reconcile.test.ts',
      title: 'credits a payment once it is confirmed, and not before',
    },
  },
  {
    rule: 'whole receipts are compared',
    file: 'indexer/corroboration/query-effects.ts',
    take: "return [logIndex, address, ...topics, data].join(' ')",
    put: 'return String([logIndex, address, topics, data].length)',
    test: {
      file: 'test/integration/corroboration/corroborate-rows.test.ts',
      title: 'counts nothing while two nodes show another amount, and uses two of three',
    },
  },
  {
    rule: 'a missing receipt counts only if the block does not list the transaction',
    file: 'shared/chain/nodes/receipts.ts',
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
    file: 'indexer/corroboration/record-agreed.ts',
    take: 'denied.push(...(await markDenied(db, table, others)))',
    put: 'if (others.length < 0) await markDenied(db, table, others)',
    test: {
      file: 'test/integration/corroboration/corroborate-rows.test.ts',
      title: 'orphans a payment that the feed invents in a real transaction, with an alert',
    },
  },
  {
    rule: 'a chain is quiet only if all nodes report it',
    file: 'indexer/chain-feed/feed-maintenance.ts',
    take: 'silent.length + wrongChain.length > 0 || heads.length < nodes.length',
    put: 'heads.length > nodes.length',
    test: {
      file: 'test/integration/chain-feed/feed-maintenance.test.ts',
      title: 'does not treat a chain as quiet while one node is silent',
    },
  },
  {
    rule: 'a range is passed only after a quorum has reported each listed transaction',
    file: 'indexer/reconciliation/scan-charges.ts',
    take: 'isUnsure: all.includes(null)',
    put: 'isUnsure: all.length < 0',
    test: {
      file: 'test/integration/reconciliation/reconcile.test.ts',
      title: 'completes no range with a log that no quorum shows or denies, and finds it with a third node',
    },
  },
  {
    rule: 'the database rejects a credit without a quorum',
    file: 'shared/db/migrations/000007_quorum.sql',
    take: 'and not is_agreed(n.agreed_by, n.chain_id);\n  else',
    put: 'and false;\n  else',
    test: { file: 'test/integration/db/require-quorum.test.ts', title: 'without a quorum' },
  },
  {
    rule: 'the database counts an operator once',
    file: 'shared/db/migrations/000007_quorum.sql',
    take: 'select count(distinct v) from',
    put: 'select count(v) from',
    test: { file: 'test/integration/db/require-quorum.test.ts', title: 'with two votes of one operator' },
  },
  {
    rule: 'a trusted node decides only while the override is active',
    file: 'shared/db/chain-facts/daemon/node-trusts.ts',
    take: 'from node_trusts where ends_at > now()',
    put: 'from node_trusts where true',
    test: {
      file: 'test/integration/db/require-quorum.test.ts',
      title: 'counts with a trusted node only while the operator’s order is in force',
    },
  },
]
