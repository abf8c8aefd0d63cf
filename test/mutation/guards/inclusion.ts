import type { Mutant } from '../mutant.ts'

const RECEIPTS = 'test/unit/corroboration/canonical-receipts.test.ts'
const TERMS = 'test/unit/domain/find-terms-problem.test.ts'
const SIGNING = 'test/unit/relayer/find-signing-problem.test.ts'
const REFUSED = 'test/integration/relayer/refused-signature.test.ts'
const MOVED = 'test/integration/db/moved-rows.test.ts'
const MENDING = 'test/integration/chain-feed/repair-orders.test.ts'
const COMMITS = 'test/integration/db/commit-check.test.ts'
const EVENT_IDS = 'test/integration/db/event-ids.test.ts'

/**
 * Rules of several areas, among them receipts and their blocks, terms of charges, repairs of feeds, rescues, commits
 * and ids of events.
 */
export const INCLUSION_RULES: readonly Mutant[] = [
  {
    rule: 'a receipt counts as a node’s vote only if the node also has the receipt’s block',
    at: 'indexer/corroboration/log-source.ts#createLogSource',
    take: 'if (block.hash !== receipt.blockHash)',
    put: 'if (block.hash === null)',
    test: { file: RECEIPTS, title: 'is not a vote if the node has another block at the receipt’s height' },
  },
  {
    rule: 'a receipt is canonical only if its node has the same block at that height',
    at: 'shared/chain/nodes/receipts.ts#readCanonicalReceipt',
    take: '|| block.hash !== receipt.blockHash) return null',
    put: ') return null',
    test: {
      file: RECEIPTS,
      title: 'is not returned if the node has another block at the receipt’s height',
    },
  },
  {
    rule: 'a scan does not record a row above its range',
    at: 'indexer/reconciliation/scan-charges.ts#queryAll',
    take: '(verdict.agreed.value?.blockNumber ?? 0) > toBlock',
    put: 'toBlock < 0',
    test: {
      file: 'test/integration/reconciliation/reconcile.test.ts',
      title: 'does not record a payment that has moved to a block above the scanned',
    },
  },
  {
    rule: 'a row is orphaned only if it was not seen again after its absence was checked',
    at: 'shared/db/chain-facts/daemon/inclusion.ts#markOrphaned',
    take: "and inclusion = 'missing' and missing_since = ${missingSince}",
    put: "and inclusion = 'missing'",
    test: { file: MOVED, title: 'is not orphaned if it was included and then missing again' },
  },
  {
    rule: 'a split event is applied only with the amount that was read',
    at: 'shared/db/charges/daemon/charge-state.ts#markSplitEvents',
    take: 'and e.amount_atomic = s."amountAtomic"))',
    put: '))',
    test: { file: MOVED, title: 'is not applied if' },
  },
  {
    rule: 'an authorization whose nonce was used otherwise stays in flight until the outcome of our transaction is known',
    at: 'indexer/pay-by-signature/track-authorizations.ts#findPlaceOfUse',
    take: '!isDeep || !isResolved',
    put: '!isDeep',
    test: {
      file: 'test/integration/pay-by-signature/authorization-worker.test.ts',
      title: 'counts as reverted if its payer’s cancellation makes our',
    },
  },
  {
    rule: 'our key signs for a charge only on a chain that the charge accepts',
    at: 'indexer/relayer/require-signable.ts#requireSigningPolicy',
    take: '!forged.has(id) && acceptedChains.includes(key.chainId)',
    put: '!forged.has(id) && acceptedChains.length > 0',
    test: { file: REFUSED, title: 'is not given for ' },
  },
  {
    rule: 'a charge with unregistered recipients is not trusted',
    at: 'shared/domain/find-terms-problem.ts#findTermsProblem',
    take: 'if (evidence.unregistered > 0) return `${evidence.unregistered} of its recipients are not registered`',
    put: '',
    test: { file: TERMS, title: 'rejects a charge that pays unregistered recipients' },
  },
  {
    rule: 'the daemon compares every recipient of a charge with the registered ones',
    at: 'shared/db/charges/daemon/service-terms.ts#readPayeeFacts',
    take: "and r.address = p ->> 'address'",
    put: '',
    test: {
      file: 'test/integration/db/service-terms.test.ts',
      title: 'unregistered if the charge’s organization has registered only another',
    },
  },
  {
    rule: 'a charge with an unknown fee is not trusted',
    at: 'shared/domain/find-terms-problem.ts#isServiceFee',
    take: '(fee === service.feePercent || ownFees.includes(fee))',
    put: '(fee === service.feePercent || ownFees.length >= 0)',
    test: {
      file: TERMS,
      title: 'rejects a fee that is in neither the configuration nor the organization’s custom fees',
    },
  },
  {
    rule: 'a charge with an unknown escrow surcharge is not trusted',
    at: 'shared/domain/find-terms-problem.ts#isServiceFee',
    take: '![service.escrowFeePercent, ...ownEscrowFees].includes(escrowFeePercent)',
    put: 'ownEscrowFees.length < 0',
    test: { file: TERMS, title: 'rejects any other escrow surcharge' },
  },
  {
    rule: 'a charge with the factory of another configuration is not trusted',
    at: 'shared/domain/find-terms-problem.ts#findAllocationProblem',
    take: '!isThere || factory !== splitTerms.factory',
    put: '!isThere || factory === null',
    test: { file: TERMS, title: 'rejects shares with the factory of another configuration' },
  },
  {
    rule: 'a feed is not repaired from a block above the head of its chain',
    at: 'indexer/chain-feed/repair-feed.ts#repairFeed',
    take: 'if (fromBlock > headNumber) {',
    put: 'if (fromBlock < 0) {',
    test: { file: MENDING, title: 'is rejected and deleted for a block above every node’s head' },
  },
  {
    rule: 'an order to repair a feed stays pending if it replaces an order in progress',
    at: 'shared/db/chain-facts/daemon/feed-repairs.ts#deleteRepairOrder',
    take: 'and repair_from_block is not distinct from ${fromBlock}::int8`',
    put: '`',
    test: { file: MENDING, title: 'stays pending if it replaces an order while that order is rejected' },
  },
  {
    rule: 'a feed is not repaired from a configured first block above the head of its chain',
    at: 'indexer/chain-feed/repair-feed.ts#findStart',
    take: 'startBlock !== undefined && startBlock <= headNumber',
    put: 'startBlock !== undefined',
    test: { file: MENDING, title: 'starts at a block older than the first feed if it names no block' },
  },
  {
    rule: 'a feed is not repaired from a recorded start block above the head of its chain',
    at: 'shared/db/chain-facts/daemon/feed-repairs.ts#findVerifiedStartBlock',
    take: 'and start_block <= ${headNumber}`',
    put: '`',
    test: {
      file: MENDING,
      title: 'starts at the configured first block if it names no block and the first block',
    },
  },
  {
    rule: 'our key signs only distributions of exactly one token',
    at: 'indexer/relayer/read-payout-step.ts#readDistribution',
    take: 'if (token === undefined || others.length > 0) return null',
    put: 'if (token === undefined) return null',
    test: { file: SIGNING, title: 'distributes two tokens, the second of them unknown' },
  },
  {
    rule: 'a Transfer log with a fourth topic is not a transfer',
    at: 'indexer/chain-feed/decode-receipt.ts#decodeTransfer',
    take: '!recipient || fourth || value',
    put: '!recipient || value',
    test: {
      file: 'test/unit/chain-feed/decode-receipt.test.ts',
      title: 'decodes no transfer from a Transfer with a fourth topic',
    },
  },
  {
    rule: 'balances at a block before the deadline do not count as read after the deadline',
    at: 'indexer/reconciliation/classify-balances.ts#isPastDeadline',
    take: "result === 'matched_at_head' || block.timestamp * 1000 >= expiresAt.getTime()",
    put: "result === 'matched_at_head' || expiresAt.getTime() > 0",
    test: {
      file: 'test/unit/reconciliation/classify-balances.test.ts',
      title: 'returns false for balances as of a block before the deadline',
    },
  },
  {
    rule: 'balances of a block before the deadline do not verify an expiry',
    at: 'indexer/reconciliation/verify-expiries.ts#createExpiryVerifier',
    take: '&& isPastDeadline(claim, at)',
    put: '',
    test: {
      file: 'test/integration/tron/tron-expiry-verification.test.ts',
      title: 'are not evidence while they belong to a block before the deadline of the charge',
    },
  },
  {
    rule: 'a release that would spend amounts held for others reverts',
    at: 'contracts/src/PaymentSplit.sol#release',
    take: '_requireHeldBacked(token);',
    put: '',
    test: { file: 'contracts/test/misbehaving-tokens.t.sol', title: 'test_feeOnTop_neverTakesWhatIsHeldFor' },
  },
  {
    rule: 'a release on TRON that would spend amounts held for others reverts',
    at: 'contracts/src/tron/TronPaymentSplit.sol#release',
    take: '_requireHeldBacked(token);',
    put: '',
    test: { file: 'contracts/test/tron/same-laws.t.sol', title: 'test_feeOnTop_neverTakesWhatIsHeldForAnot' },
  },
  {
    rule: 'a token whose balance cannot be read does not prevent the rescue of the others',
    at: 'indexer/commands/rescue.ts#readBalances',
    take: 'if (!(error instanceof BaseError)) throw error',
    put: 'throw error',
    test: {
      file: 'test/integration/commands/rescue.test.ts',
      title: 'pays out one token even if the balance of another token cannot be read',
    },
  },
  {
    rule: 'the gas of a distribution that a rescue signs does not exceed its limit',
    at: 'indexer/commands/evm-rescuer.ts#quoteGas',
    take: 'if (gas <= limit) return gas',
    put: 'if (gas > 0n) return gas',
    test: { file: 'test/integration/commands/rescue.test.ts', title: 'distributes no token whose transfers' },
  },
  {
    rule: 'a session that could lose confirmed commits is rejected',
    at: 'shared/runtime/commit-check.ts#DURABLE',
    take: "['on', 'remote_write', 'remote_apply']",
    put: "['on', 'remote_write', 'remote_apply', 'local', 'off']",
    test: { file: COMMITS, title: 'a session with synchronous_commit ' },
  },
  {
    rule: 'the API starts only with sessions that cannot lose confirmed commits',
    at: 'api/main.ts#serve',
    take: "{ name: 'database', start: database.check,",
    put: "{ name: 'database', start: () => ping(sql),",
    test: { file: COMMITS, title: 'at startup if the setting is off, and names the required change' },
  },
  {
    rule: 'the daemon starts only with sessions that cannot lose confirmed commits',
    at: 'indexer/main.ts#run',
    take: "{ name: 'database', start: database.check,",
    put: "{ name: 'database', start: () => ping(sql),",
    test: { file: COMMITS, title: 'at startup if the setting is off, and names the required change' },
  },
  {
    rule: 'the daemon also checks the sessions that it opens after startup',
    at: 'indexer/main.ts#run',
    take: 'ask: reportRejection(database.check, lifecycle.fail)',
    put: 'ask: () => ping(sql)',
    test: { file: COMMITS, title: 'soon after it opens a session with the setting off' },
  },
  {
    rule: 'the id of a public event is derived from its charge',
    at: 'indexer/charges/turn-events.ts#buildChargeEvents',
    take: "EVENT_CATEGORY[type] === 'payments' ? null :",
    put: "EVENT_CATEGORY[type] === 'webhooks' ? null :",
    test: {
      file: 'test/unit/charges/turn-events.test.ts',
      title:
        'have random ids if they are internal, and null ids if they are public, because those are derived later',
    },
  },
  {
    rule: 'an event that is appended again after a lost commit has the same id',
    at: 'shared/db/migrations/000012_events.sql#charge_event_id',
    take: "'evt_' || substr(of_charge, 4, 10)",
    put: "'evt_' || right((extract(epoch from clock_timestamp()) * 1000000)::bigint::text, 10)",
    test: { file: EVENT_IDS, title: 'is the same if the event is appended again after a rollback' },
  },
  {
    rule: 'two events of one type of a charge have different ids',
    at: 'shared/db/migrations/000012_events.sql#charge_event_id',
    take: "concat_ws('/', of_charge, of_type, ordinal)",
    put: "concat_ws('/', of_charge, of_type)",
    test: { file: EVENT_IDS, title: 'differs by charge, by type and by ordinal' },
  },
  {
    rule: 'the id of an event cannot be computed without the secret',
    at: 'shared/db/migrations/000012_events.sql',
    take: 'grant execute on function charge_event_id to svc_daemon;',
    put: 'grant execute on function charge_event_id to svc_daemon, svc_api;',
    test: { file: EVENT_IDS, title: 'cannot be derived from data that svc_' },
  },
]
