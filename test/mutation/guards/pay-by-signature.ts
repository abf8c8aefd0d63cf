import type { Mutant } from '../mutant.ts'

const PLAN = 'test/unit/domain/plan-authorization.test.ts'
const SIGNING = 'test/unit/relayer/find-signing-problem.test.ts'
const CONFIG = 'test/unit/runtime/config.test.ts'
const LIES = 'test/integration/pay-by-signature/dishonest-nodes.test.ts'
const WORKER = 'test/integration/pay-by-signature/authorization-worker.test.ts'
const CONTRACTS = 'test/integration/pay-by-signature/contract-payers.test.ts'
const SHOWN = 'test/integration/pay-by-signature/shown.test.ts'
const USES = 'test/integration/pay-by-signature/uses.test.ts'
const CLIENT = 'test/unit/client/check-authorization.test.ts'
const BOUNDS = 'test/integration/pay-by-signature/bounds.test.ts'
const ENDS = 'test/integration/pay-by-signature/ends.test.ts'
const ONE_TRANSFER = 'test/integration/pay-by-signature/one-transfer.test.ts'
const BREAKERS = 'test/integration/pay-by-signature/breakers.test.ts'
const FOLLOWING = 'test/integration/pay-by-signature/following.test.ts'
const FAULTY = 'test/integration/pay-by-signature/faulty-nodes.test.ts'
const API = 'test/integration/api/authorization.test.ts'

/** Payments by signature: never twice, only for the charge, and without affecting payouts. */
export const AUTHORIZING_RULES: readonly Mutant[] = [
  {
    rule: 'at most one transfer leaves the payer after any retries and kills',
    file: 'indexer/pay-by-signature/track-authorizations.ts',
    take: '  return isExpiredUnused(context, { ...toAuthorizedPayment(authorization), validBefore })\n',
    put: '  return validBefore > 0\n',
    test: { file: ONE_TRANSFER, title: 'has at most one transfer leave the payer' },
  },
  {
    rule: 'signatures of one organization do not delay those of another',
    file: 'shared/db/pay-by-signature/authorization-requests.ts',
    take: 'partition by r.organization_id',
    put: 'partition by r.id',
    test: {
      file: FOLLOWING,
      title: 'serves organizations in rotation, so that none delays another',
    },
  },
  {
    rule: 'reverting contracts stop no key',
    file: 'shared/db/pay-by-signature/circuit-breaker.ts',
    take: 'and a.is_signed_by_key = ${of.areSignedByKeys}',
    put: '',
    test: {
      file: BREAKERS,
      title: 'allows keys after contracts of five payers reverted, since any account can deploy contracts',
    },
  },
  {
    rule: 'reverting contracts stop other contracts',
    file: 'indexer/pay-by-signature/require-good-record.ts',
    take: 'isRefused || (await areContractsBroken(db, { organizationId, chainId }))',
    put: 'isRefused',
    test: {
      file: BREAKERS,
      title: 'blocks contracts after those of five payers reverted, without information about the payer',
    },
  },
  {
    rule: 'the row of an authorization records whether a key signed it',
    file: 'shared/db/pay-by-signature/daemon/authorizations.ts',
    take: '${taken.txHash}, ${taken.isSignedByKey})',
    put: '${taken.txHash}, ${true})',
    test: { file: BREAKERS, title: 'records for each authorization whether a key signed it' },
  },
  {
    rule: 'an authorization that cannot be tracked stops no other',
    file: 'indexer/pay-by-signature/track-authorizations.ts',
    take: '      if (isRetryable(error)) throw error\n',
    put: '      if (describeUnread(error) === null) throw error\n',
    test: {
      file: FOLLOWING,
      title:
        'tracks a payment although the receipt of another one is unreadable, with the nodes that respond',
    },
  },
  {
    rule: 'signatures that cannot be executed do not delay newer ones',
    file: 'shared/db/pay-by-signature/authorization-requests.ts',
    take: 'order by r.last_checked_at nulls first, r.created_at) as turn',
    put: 'order by r.created_at) as turn',
    test: {
      file: FOLLOWING,
      title: 'rotates, so that blocked payments do not delay newer ones',
    },
  },
  {
    rule: 'a contract’s signatures block only one charge at a time',
    file: 'indexer/pay-by-signature/require-good-record.ts',
    take: 'const isRefused = hasInFlight ||',
    put: 'const isRefused =',
    test: {
      file: CONTRACTS,
      title:
        'is rejected immediately while another payment of the payer is in flight, without a reason about the payer',
    },
  },
  {
    rule: 'a contract’s signatures block at most three charges a day',
    file: 'indexer/pay-by-signature/require-good-record.ts',
    take: 'isSignedByKey ? reverted : reverted + lapsed',
    put: 'reverted + 0 * lapsed',
    test: {
      file: CONTRACTS,
      title: 'is rejected after three authorizations that expired unsent within a day',
    },
  },
  {
    rule: 'tracking sends few requests to nodes, which payouts share',
    file: 'shared/db/pay-by-signature/daemon/authorizations.ts',
    take: 'a.last_checked_at < now() - make_interval(secs => ${query.lookSeconds})',
    put: 'a.last_checked_at < now()',
    test: {
      file: FOLLOWING,
      title: 'queries logs once per interval, and when the transaction has moved',
    },
  },
  {
    rule: 'an authorization in flight is checked when our transaction has changed',
    file: 'shared/db/pay-by-signature/daemon/authorizations.ts',
    take: "a.last_checked_transaction is distinct from t.tx_hash || ' ' || t.status",
    put: 'a.id is null',
    test: {
      file: FOLLOWING,
      title: 'queries logs once per interval, and when the transaction has moved',
    },
  },
  {
    rule: 'an authorization whose transaction has changed is checked first',
    file: 'shared/db/pay-by-signature/daemon/authorizations.ts',
    take: 'order by ${hasMoved} desc, ',
    put: 'order by ',
    test: {
      file: BOUNDS,
      title: 'are checked first if our transaction has moved, no matter how long others have waited',
    },
  },
  {
    rule: 'a shown signature that cannot be executed is retried with growing delays',
    file: 'shared/db/pay-by-signature/authorization-requests.ts',
    take: '(1 + extract(',
    put: '(1 + 0 * extract(',
    test: { file: BOUNDS, title: 'are retried with growing delays' },
  },
  {
    rule: 'the number of contract signatures that wait for execution is limited',
    file: 'indexer/pay-by-signature/authorization-worker.ts',
    take: '    await requireRoom(db, verified)\n',
    put: '',
    test: {
      file: BOUNDS,
      title: 'by contracts wait for execution in limited numbers, and do not delay those by keys',
    },
  },
  {
    rule: 'waiting contract signatures do not delay signatures of keys',
    file: 'indexer/pay-by-signature/authorization-worker.ts',
    take: 'isSignedByKey ? MAX_SHOWN.ofKeys : MAX_SHOWN.ofContracts',
    put: 'isSignedByKey ? MAX_SHOWN.ofContracts : MAX_SHOWN.ofContracts',
    test: {
      file: BOUNDS,
      title: 'by contracts wait for execution in limited numbers, and do not delay those by keys',
    },
  },
  {
    rule: 'the daily budget of an organization counts the signed gas limit',
    file: 'shared/db/pay-by-signature/authorization-facts.ts',
    take: 'sum(coalesce(a.gas_limit, ',
    put: 'sum(coalesce(null::bigint, ',
    test: { file: BOUNDS, title: 'count the signed gas against the organization’s daily limit' },
  },
  {
    rule: 'the signed gas limit is stored',
    file: 'shared/db/pay-by-signature/daemon/authorizations.ts',
    take: 'gas_limit = ${String(carrier.gasLimit)}',
    put: 'gas_limit = null',
    test: { file: BOUNDS, title: 'count the signed gas against the organization’s daily limit' },
  },
  {
    rule: 'every authorization in flight is checked',
    file: 'shared/db/pay-by-signature/daemon/authorizations.ts',
    take: ' desc, a.last_checked_at nulls first, a.id',
    put: ' desc, a.id',
    test: {
      file: FOLLOWING,
      title: 'checks the least recently checked payment first',
    },
  },
  {
    rule: 'logs are not queried past the window of an authorization',
    file: 'shared/chain/eip3009/authorization-use.ts',
    take: '    if (Number(timestamp) >= validBefore) return null\n',
    put: '    if (Number(timestamp) < 0) return null\n',
    test: { file: FOLLOWING, title: 'queries the logs of no block after the window' },
  },
  {
    rule: 'log queries are limited by the window, even if a node reports false blocks',
    file: 'shared/chain/eip3009/authorization-use.ts',
    take: '    if (first > fromBlock + mostBlocks)\n',
    put: '    if (first > 1_000 * mostBlocks)\n',
    test: {
      file: FOLLOWING,
      title: 'queries at most the blocks that a window can span, even if a node reports more',
    },
  },
  {
    rule: 'receipt queries are limited by the number of logs that a nonce can have',
    file: 'shared/chain/eip3009/authorization-use.ts',
    take: '  if (logs.length > MAX_LOGS)\n',
    put: '  if (logs.length > 1_000_000 * MAX_LOGS)\n',
    test: { file: FOLLOWING, title: 'queries receipts for at most the logs that one nonce can have' },
  },
  {
    rule: 'the head that one node reports does not hide an authorization in flight',
    file: 'indexer/pay-by-signature/find-nonce-use.ts',
    take: 'Math.min(fromBlock, newest)',
    put: 'fromBlock + 0 * newest',
    test: {
      file: FOLLOWING,
      title: 'finds a payment although a node reported a wrong head at its submission',
    },
  },
  {
    rule: 'our own mined transaction is found by its receipt',
    file: 'indexer/pay-by-signature/find-nonce-use.ts',
    take: 'shown ?? readAuthorizationUse(client, payment, known)',
    put: 'shown',
    test: { file: FOLLOWING, title: 'finds a payment by our own receipt if no node' },
  },
  {
    rule: 'our own mined transaction is found even if its logs cannot be queried',
    file: 'indexer/pay-by-signature/find-nonce-use.ts',
    take: 'if (error instanceof BaseError) return null\n',
    put: '',
    test: { file: FOLLOWING, title: 'finds a payment by our own receipt if no node' },
  },
  {
    rule: 'a signature is rejected while the head is too old',
    file: 'indexer/pay-by-signature/verify-authorization.ts',
    take: 'if (head.timestamp <= clock().getTime() / 1000 - OLDEST_HEAD_SECONDS)',
    put: 'if (head.timestamp < 0 * clock().getTime())',
    test: {
      file: FOLLOWING,
      title: 'does not submit while the newest block is stale, and later submits with a node that advances',
    },
  },
  {
    rule: 'a contract’s signature is rejected only by a quorum of nodes',
    file: 'indexer/pay-by-signature/is-rejected-by-payer.ts',
    take: 'await queryQuorum(chain, {',
    put: 'await queryQuorum({ ...chain, quorum: 1 }, {',
    test: { file: FAULTY, title: 'reports that the contract rejects it' },
  },
  {
    rule: 'logs are not queried before an authorization could have been signed',
    file: 'indexer/pay-by-signature/find-spent.ts',
    take: '  const fromBlock = Math.max(0, head - Math.ceil(LOOKBACK_MS / blockTimeMs))\n',
    put: '  const fromBlock = 0 * head * blockTimeMs\n',
    test: { file: FOLLOWING, title: 'queries no logs from before the earliest possible signing' },
  },
  {
    rule: 'accepted authorizations are tracked even if payment by signature is disabled',
    file: 'indexer/pay-by-signature/chain-pay-by-signature.ts',
    take: '    return { loops: followed, wake: () => undefined }',
    put: '    return { loops: [], wake: () => undefined }',
    test: { file: FOLLOWING, title: 'tracks a payment to its end although' },
  },
  {
    rule: 'a signature that the token accepts from no key is rejected before the daemon is used',
    file: 'api/charges/pay-by-signature/submit-authorization.ts',
    take: "  if (problem !== null) throw createAuthorizationError('signature', problem)\n",
    put: '',
    test: { file: API, title: 'is rejected without a request to the daemon if no key can sign' },
  },
  {
    rule: 'a payer with code may use a signature of any key',
    file: 'shared/domain/eip3009/authorization.ts',
    take: 'return signers.includes(from) ?',
    put: 'return signers.length > 0 ?',
    test: { file: API, title: 'is sent to the daemon if another key signed' },
  },
  {
    rule: 'an order is committed before a node receives a signature',
    file: 'indexer/pay-by-signature/authorization-worker.ts',
    take: '    if (!request.isShown) await show(context, verified)\n',
    put: '',
    test: {
      file: SHOWN,
      title: 'is recorded before, even if nodes are only queried for the cost of its bytes',
    },
  },
  {
    rule: 'a cost estimate sends no signature to a node',
    file: 'indexer/pay-by-signature/prepare-authorization-call.ts',
    take: 'signature: maskSignature(signed.signature)',
    put: 'signature: signed.signature',
    test: {
      file: SHOWN,
      title: 'is recorded before, even if nodes are only queried for the cost of its bytes',
    },
  },
  {
    rule: 'a signature is sent to a node only if its payer can pay',
    file: 'indexer/pay-by-signature/prepare-authorization-call.ts',
    take: '  await rehearse(context, asked)\n',
    put: '',
    test: { file: SHOWN, title: 'does not include a signature that is rejected for' },
  },
  {
    rule: 'a signature that a node has received is rejected only by the chain',
    file: 'indexer/pay-by-signature/authorization-worker.ts',
    take: 'error instanceof AppError && request.isShown',
    put: 'error instanceof AppError && !request',
    test: { file: SHOWN, title: 'ends when its window has passed at depth with its nonce unused' },
  },
  {
    rule: 'the report of one node does not reject the signature of a key',
    file: 'indexer/pay-by-signature/execute-authorization.ts',
    take: '!verified.isSignedByKey && (await isRejectedByPayer(context, verified.asked))',
    put: 'await isRejectedByPayer(context, verified.asked)',
    test: {
      file: SHOWN,
      title: 'by its payer’s own key stays in flight though the payer’s code now rejects it',
    },
  },
  {
    rule: 'a contract’s signature that was executed by the examined block is not rejected',
    file: 'indexer/pay-by-signature/is-rejected-by-payer.ts',
    take: 'isNonceUsed(client, { token, payer, nonce }, blockNumber)',
    put: 'isNonceUsed(client, { token, payer, nonce })',
    test: {
      file: SHOWN,
      title: 'by a contract stays in flight if it reverts because another sender has executed it',
    },
  },
  {
    rule: 'a contract’s signature is not rejected because its balance is too low',
    file: 'indexer/pay-by-signature/is-rejected-by-payer.ts',
    take: '    (await passes(client, { ...buildPlainTransfer(asked), blockNumber })) &&\n',
    put: '',
    test: {
      file: SHOWN,
      title: 'by a contract stays in flight while a plain transfer would fail as well',
    },
  },
  {
    rule: 'a contract’s signature is not rejected before its window has passed at depth',
    file: 'indexer/pay-by-signature/is-rejected-by-payer.ts',
    take: ' || head.timestamp >= validBefore) return false',
    put: ' || validBefore < 0n) return false',
    test: {
      file: SHOWN,
      title: 'by a contract stays in flight after its window, until the end is confirmed',
    },
  },
  {
    rule: 'a contract’s signature is not rejected because its check costs too much',
    file: 'indexer/pay-by-signature/is-rejected-by-payer.ts',
    take: 'ENOUGH_GAS = 5_000_000n',
    put: 'ENOUGH_GAS = 200_000n',
    test: {
      file: SHOWN,
      title: 'by a contract that exceeds our gas limit can be executed by others',
    },
  },
  {
    rule: 'a signature that a quorum of nodes rejects does not block its charge',
    file: 'indexer/pay-by-signature/execute-authorization.ts',
    take: '(await isRejectedByPayer(context, verified.asked))',
    put: 'verified === null',
    test: {
      file: SHOWN,
      title: 'by a contract that rejects it is expired, and its charge can be paid by others',
    },
  },
  {
    rule: 'a request that one daemon has shown to a node is completed by no other daemon',
    file: 'shared/db/pay-by-signature/authorization-requests.ts',
    take: '    where id = ${id} and consumed_at is null and answered_at is null\n    returning id`',
    put: '    where id = ${id} and answered_at is null\n    returning id`',
    test: { file: SHOWN, title: 'cannot be rejected by another daemon that listed it before' },
  },
  {
    rule: 'an accepted authorization is returned in its current state to all callers that waited',
    file: 'api/charges/pay-by-signature/submit-authorization.ts',
    take: '    const known = await findKnown(deps, lookup)\n    if (known !== null) return known\n    await requirePayable',
    put: '    await requirePayable',
    test: {
      file: API,
      title: 'is awaited by a second copy once it is accepted, even if the request of the copy is rejected',
    },
  },
  {
    rule: 'the open request is read before the stored authorization that replaces it',
    file: 'api/charges/pay-by-signature/submit-authorization.ts',
    take: `  const open = await findOpenAuthorizationRequest(sql, { chargeId, key })
  const taken = await findAuthorization(sql, key)
  if (taken !== null) return waitForTaken`,
    put: `  const taken = await findAuthorization(sql, key)
  const open = await findOpenAuthorizationRequest(sql, { chargeId, key })
  if (taken !== null) return waitForTaken`,
    test: {
      file: API,
      title: 'returns the mined payment to a copy that lost the race, if it is mined before',
    },
  },
  {
    rule: 'an authorization with a transaction is never deleted',
    file: 'shared/db/migrations/000017_pay_by_signature.sql',
    take: ' and relayer is null and tx_hash is null returning',
    put: ' returning',
    test: { file: SHOWN, title: 'is not deleted once a transaction executes it' },
  },
  {
    rule: 'the first of two simultaneously shown signatures of a payer is executed',
    file: 'shared/db/pay-by-signature/authorization-facts.ts',
    take: ' and (own.id is null or a.id < own.id)',
    put: " and a.request_id <> coalesce(own.request_id, '')",
    test: {
      file: SHOWN,
      title: 'is signed only for the first of two that were sent to nodes simultaneously for one payer',
    },
  },
  {
    rule: 'no signature is requested while an accepted chain of the charge is stale',
    file: 'shared/db/pay-by-signature/authorization-facts.ts',
    take: ' as is_feed_stale',
    put: ' and false as is_feed_stale',
    test: { file: WORKER, title: 'is not signed while a network that the charge accepts is stale' },
  },
  {
    rule: 'a nonce that a transaction unknown to all nodes has used might have paid',
    file: 'indexer/pay-by-signature/find-spent.ts',
    take: '  if (use !== null) return use\n',
    put: '  return use\n',
    test: {
      file: WORKER,
      title: 'is neither rejected nor sent if its nonce was used by a transaction that no node shows',
    },
  },
  {
    rule: 'a nonce used for another purpose is rejected only at depth',
    file: 'indexer/pay-by-signature/find-spent.ts',
    take: '  if (getDepth({ head, block: use.blockNumber }) < confirmations)',
    put: '  if (getDepth({ head, block: use.blockNumber }) < 0 * confirmations)',
    test: { file: WORKER, title: 'is rejected if it was canceled before, at confirmation depth' },
  },
  {
    rule: 'a quorum of nodes reports whether a nonce is used',
    file: 'indexer/pay-by-signature/find-spent.ts',
    take: '  const verdict = await queryQuorum(chain, {\n    read: ({ client }) => findUseOfSpent(',
    put: '  const verdict = await queryQuorum({ ...chain, quorum: 1 }, {\n    read: ({ client }) => findUseOfSpent(',
    test: { file: FAULTY, title: 'is neither rejected nor sent while' },
  },
  {
    rule: 'a nonce that only one node reports as unused gets no signature',
    file: 'indexer/pay-by-signature/find-spent.ts',
    take: '  const verdict = await queryQuorum(chain, {\n    read: ({ client }) => findUseOfSpent(',
    put: '  const verdict = await queryQuorum({ ...chain, quorum: 1 }, {\n    read: ({ client }) => findUseOfSpent(',
    test: { file: FAULTY, title: 'hides that its nonce is used' },
  },
  {
    rule: 'a quorum of nodes reports whether a payer has code',
    file: 'indexer/pay-by-signature/verify-authorization.ts',
    take: '  const verdict = await queryQuorum(chain, {\n    read: async ({ client }) => ((await client.getCode(',
    put: '  const verdict = await queryQuorum({ ...chain, quorum: 1 }, {\n    read: async ({ client }) => ((await client.getCode(',
    test: { file: FAULTY, title: 'by a contract is not rejected while' },
  },
  {
    rule: 'an authorization is validated at the head that a quorum has reached',
    file: 'shared/chain/nodes/query-head.ts',
    take: 'findHeight(chain, responses)',
    put: 'findHeight({ ...chain, quorum: 1 }, responses)',
    test: {
      file: FAULTY,
      title: 'is submitted at the head of a quorum, not at a head that one node invents',
    },
  },
  {
    rule: 'one node that would execute a payment is sufficient',
    file: 'indexer/pay-by-signature/prepare-authorization-call.ts',
    take: '    decides: (objection) => objection === null,\n',
    put: '    decides: (objection) => objection === undefined,\n',
    test: { file: FAULTY, title: 'reports that it reverts, and that our account is empty' },
  },
  {
    rule: 'one node that would execute a transfer of the payer is sufficient',
    file: 'indexer/pay-by-signature/prepare-authorization-call.ts',
    take: '    decides: (shortBalance) => shortBalance === null,\n',
    put: '    decides: (shortBalance) => shortBalance === undefined,\n',
    test: { file: FAULTY, title: 'reports that it reverts, and that our account is empty' },
  },
  {
    rule: 'one node that reports enough coin in our account is sufficient',
    file: 'indexer/pay-by-signature/prepare-authorization-call.ts',
    take: '    decides: Boolean,\n',
    put: '    decides: (enough) => !enough,\n',
    test: { file: FAULTY, title: 'reports that it reverts, and that our account is empty' },
  },
  {
    rule: 'a payer is not rejected for a balance that one node reports',
    file: 'indexer/pay-by-signature/prepare-authorization-call.ts',
    take: '  const balance = await queryFirst(chain, {',
    put: '  const balance = await queryFirst({ ...chain, quorum: 1 }, {',
    test: { file: FAULTY, title: 'reports a short balance of the payer, and the other is down' },
  },
  {
    rule: 'an authorization does not expire while our own transaction is mined or final',
    file: 'indexer/pay-by-signature/track-authorizations.ts',
    take: "['mined', 'final'].includes(transaction.status)",
    put: "['mined'].includes(transaction.status)",
    test: {
      file: WORKER,
      title: 'does not expire once our transaction is confirmed, even if nodes report otherwise',
    },
  },
  {
    rule: 'an authorization does not expire by the state of an older block',
    file: 'indexer/pay-by-signature/is-expired-unused.ts',
    take: '!(await isNonceUsed(client, authorization, deep))',
    put: '!(await isNonceUsed(client, authorization))',
    test: { file: WORKER, title: 'does not expire based on a state older than the head' },
  },
  {
    rule: 'one fixed block decides whether a nonce was unused at the end of its window',
    file: 'indexer/pay-by-signature/is-expired-unused.ts',
    take: 'isNonceUsed(client, authorization, lastOfWindow)',
    put: 'isNonceUsed(client, authorization, lastOfWindow > deep ? lastOfWindow : deep)',
    test: { file: ENDS, title: 'is expired, no matter how many blocks later it is checked' },
  },
  {
    rule: 'the report of one node does not cancel an authorization',
    file: 'indexer/pay-by-signature/find-nonce-use.ts',
    take: 'return queryQuorum(context.chain, {',
    put: 'return queryQuorum({ ...context.chain, quorum: 1 }, {',
    test: { file: WORKER, title: 'is not canceled if only one of two nodes reports it' },
  },
  {
    rule: 'the report of one node does not complete a payment',
    file: 'indexer/pay-by-signature/find-nonce-use.ts',
    take: 'return queryQuorum(context.chain, {',
    put: 'return queryQuorum({ ...context.chain, quorum: 1 }, {',
    test: { file: USES, title: 'is neither mined nor ended by the report of only the' },
  },
  {
    rule: 'the report of one node does not resolve our own transaction',
    file: 'indexer/pay-by-signature/find-nonce-use.ts',
    take: 'return queryQuorum(context.chain, {',
    put: 'return queryQuorum({ ...context.chain, quorum: 1 }, {',
    test: {
      file: USES,
      title: 'by our transaction is neither mined nor ended while one of two nodes hides it',
    },
  },
  {
    rule: 'nodes that report different blocks for a use do not agree',
    file: 'indexer/pay-by-signature/find-nonce-use.ts',
    take: '${use.blockNumber}/${use.blockHash}/',
    put: '',
    test: { file: FAULTY, title: 'shows it in another block' },
  },
  {
    rule: 'a mined authorization is reopened only if a quorum agrees',
    file: 'indexer/pay-by-signature/track-authorizations.ts',
    take: "  requireAgreed(verdict, 'the use of an authorization')\n",
    put: '',
    test: { file: FAULTY, title: 'does not return to in flight while' },
  },
  {
    rule: 'a payment that only one node has reported is executed by us',
    file: 'indexer/pay-by-signature/track-authorizations.ts',
    take: 'txHash: isCarried ? transaction.txHash : null }',
    put: 'txHash: isCarried ? transaction.txHash : authorization.txHash }',
    test: { file: USES, title: 'is executed by us once no node lies' },
  },
  {
    rule: 'a payment in our ledger must match in all values, not only in its hash',
    file: 'shared/db/pay-by-signature/authorization-row.ts',
    take: 't.sender = a.payer and',
    put: '',
    test: { file: USES, title: 'is not matched by another transfer of its transaction in our ledger' },
  },
  {
    rule: 'a caller without a payer’s signature learns nothing about the payer',
    file: 'indexer/pay-by-signature/verify-authorization.ts',
    take: '  const isSignedByKey = await requireSigned(context, asked, offered)\n',
    put: '  await requireGoodRecord(sql, { request, asked, organizationId, isSignedByKey: true })\n  const isSignedByKey = await requireSigned(context, asked, offered)\n',
    test: { file: LIES, title: 'for a payer with a payment in flight, without the payer’s signature' },
  },
  {
    rule: 'a final authorization that a reorganization removes is in flight again',
    file: 'shared/db/pay-by-signature/daemon/authorizations.ts',
    take: "a.status in ('final', 'taken') and a.ended_at >",
    put: "a.status in ('none') and a.ended_at >",
    test: {
      file: WORKER,
      title: 'is in flight again, and resent, after a reorganization deeper than its confirmation depth',
    },
  },
  {
    rule: 'a seen amount is not requested again before it is at depth',
    file: 'shared/domain/amount-due.ts',
    take: ' - (receivedAtto ?? 0n) - seenAtto',
    put: ' - (receivedAtto ?? 0n) - 0n * seenAtto',
    test: { file: PLAN, title: 'is the amount that is neither credited nor seen' },
  },
  {
    rule: 'no signature is requested while a signed authorization might still pay',
    file: 'shared/domain/eip3009/plan-authorization.ts',
    take: "  if (facts.inFlight !== null) return { type: 'in_flight' }\n",
    put: '',
    test: {
      file: PLAN,
      title: 'is not available while a signed payment is pending, in any state of the charge',
    },
  },
  {
    rule: 'a payment by signature is never late',
    file: 'shared/domain/eip3009/authorization-window.ts',
    take: 'earliest(toSeconds(expiresAt), toSeconds(now) + MAX_SECONDS)',
    put: 'toSeconds(now) + MAX_SECONDS',
    test: { file: PLAN, title: 'must not end after the charge' },
  },
  {
    rule: 'the payout account signs no authorization, and the other account signs only those',
    file: 'indexer/relayer/find-signing-problem.ts',
    take: 'dutyOf(step) !== permits.duty',
    put: 'false',
    test: { file: SIGNING, title: 'does not sign a transaction' },
  },
  {
    rule: 'our gas pays only to charges whose address was computed again',
    file: 'indexer/relayer/find-signing-problem.ts',
    take: 'permits.charges.some(({ address }) => address === step.recipient)',
    put: 'permits.charges.length > 0',
    test: { file: SIGNING, title: 'does not sign a transaction' },
  },
  {
    rule: 'an authorization is not signed as one of several calls',
    file: 'indexer/relayer/read-steps.ts',
    take: 'const step = readPayoutStep(call, EVM.predictSplit) ??',
    put: 'const step = readAuthorization(call) ?? readPayoutStep(call, EVM.predictSplit) ??',
    test: { file: SIGNING, title: 'does not sign a transaction' },
  },
  {
    rule: 'payments by signature have a separate account',
    file: 'shared/runtime/pay-by-signature-config.ts',
    take: 'key.toLowerCase() === payoutKey?.toLowerCase() &&',
    put: 'key === payoutKey &&',
    test: { file: CONFIG, title: 'does not start' },
  },
  {
    rule: 'a charge is not paid with its own money',
    file: 'shared/domain/eip3009/require-authorizable.ts',
    take: "  if (from === address)\n    throw createAuthorizationError('from', `is ${from}: a charge cannot be paid with its own money`)\n",
    put: '',
    test: { file: LIES, title: 'the charge’s own money' },
  },
  {
    rule: 'an authorization with too late an end is rejected, even if another sender executed it',
    file: 'indexer/pay-by-signature/verify-authorization.ts',
    take: '  requireValidPayment(charge, asked.signed, context.clock())\n',
    put: '',
    test: {
      file: WORKER,
      title:
        'is rejected, and blocks no later payment, if another sender executed it and it ends in a thousand years',
    },
  },
  {
    rule: 'a payer’s second signature is shown only after the first is stored, on any chain',
    file: 'indexer/pay-by-signature/authorization-worker.ts',
    take: '    await lockPayer(db, verified.asked.signed.from)\n',
    put: '',
    test: {
      file: WORKER,
      title: 'is sent to nodes for only one charge of its payer if two are submitted simultaneously',
    },
  },
  {
    rule: 'a payer’s wallet signs only a transfer of this token to this charge',
    file: 'api/client/check-authorization.ts',
    take: '  if (difference !== null) throw new SignatureMismatch(difference)\n',
    put: '',
    test: { file: CLIENT, title: 'is for a more valuable token' },
  },
  {
    rule: 'a payer’s wallet signs data that the client has built, not received data',
    file: 'api/client/pay-by-signature.ts',
    take: '    params: [payer, JSON.stringify(typedData)],',
    put: "    params: [payer, JSON.stringify({ ...typedData, primaryType: 'Sent' })],",
    test: {
      file: 'test/unit/client/pay-by-signature.test.ts',
      title: 'has the wallet sign the transfer to this charge and submits the signature',
    },
  },
  {
    rule: 'a payer’s wallet signs at most the amount of the charge',
    file: 'api/client/check-authorization.ts',
    take: '  if (BigInt(rebuilt.message.value) > max.atomic)',
    put: '  if (BigInt(rebuilt.message.value) < 0n)',
    test: { file: CLIENT, title: 'pays more than the amount due' },
  },
  {
    rule: 'a payment by signature that a deep reorganization removes is sent again',
    file: 'shared/db/relayer/daemon/relayer-transactions.ts',
    take: 'select least(${findUnpaidNonce(db, key)}, ${findUncarriedNonce(db, key)}) as nonce',
    put: 'select least(${findUnpaidNonce(db, key)}, case when false then ${findUncarriedNonce(db, key)} end) as nonce',
    test: {
      file: WORKER,
      title: 'is in flight again, and resent, after a reorganization deeper than its confirmation depth',
    },
  },
  {
    rule: 'only the exact amount due is executed',
    file: 'shared/domain/eip3009/require-authorizable.ts',
    take: 'if (authorization.value !== pair.valueAtomic)',
    put: 'if (authorization.value > pair.valueAtomic)',
    test: { file: LIES, title: 'a request to execute a signature is rejected' },
  },
  {
    rule: 'a signature does not pay a charge whose terms are invalid',
    file: 'indexer/pay-by-signature/verify-authorization.ts',
    take: '  if (problem === null) return charge\n',
    put: '  return charge\n',
    test: { file: LIES, title: 'for a charge with terms that the service did not set' },
  },
  {
    rule: 'the amount due is read again under the lock in which the call is signed',
    file: 'indexer/pay-by-signature/execute-authorization.ts',
    take: '    await requireAmountDue(db, verified, clock())\n',
    put: '',
    test: { file: WORKER, title: 'is not signed if a transfer is detected after the simulation' },
  },
  {
    rule: 'an authorization whose transaction reverted is in flight until its window has passed',
    file: 'indexer/pay-by-signature/is-expired-unused.ts',
    take: 'deep === null || deep.value.timestamp < authorization.validBefore',
    put: 'deep === null',
    test: { file: WORKER, title: 'expires only if its window has passed at depth with its nonce unused' },
  },
  {
    rule: 'the report of one node does not end an authorization',
    file: 'indexer/pay-by-signature/is-expired-unused.ts',
    take: 'await queryQuorum(chain, {',
    put: 'await queryQuorum({ ...chain, quorum: 1 }, {',
    test: { file: FAULTY, title: 'hides that it was paid' },
  },
  {
    rule: 'a silent node does not end an authorization',
    file: 'indexer/pay-by-signature/is-expired-unused.ts',
    take: 'await queryConfirmedHead(chain, {',
    put: 'await queryConfirmedHead({ ...chain, quorum: 1 }, {',
    test: { file: FAULTY, title: 'does not expire if only' },
  },
  {
    rule: 'a payment that another sender has executed counts like ours',
    file: 'indexer/pay-by-signature/find-spent.ts',
    take: '  if (use.isPayment) return { txHash: use.txHash, fromBlock }\n',
    put: '',
    test: {
      file: WORKER,
      title: 'returns the existing hash and spends no gas if another sender has executed it before',
    },
  },
  {
    rule: 'a nonce used for another purpose has not paid',
    file: 'indexer/pay-by-signature/track-authorizations.ts',
    take: '  if (use.isPayment) {\n',
    put: '  if (use.blockNumber >= 0) {\n',
    test: { file: WORKER, title: 'ends if its payer cancels it, at confirmation depth and not before' },
  },
  {
    rule: 'an account without coin signs no call',
    file: 'indexer/pay-by-signature/prepare-authorization-call.ts',
    take: 'const mostWei = gas * fees.maxFeePerGas + dataFee.besideWei\n',
    put: 'const mostWei = 0n * gas * fees.maxFeePerGas * dataFee.besideWei\n',
    test: { file: WORKER, title: 'rejects payments while it is empty, and payouts continue' },
  },
  {
    rule: 'the same signature never pays twice',
    file: 'api/charges/pay-by-signature/submit-authorization.ts',
    take: '  if (taken !== null) return waitForTaken(deps, lookup, taken)\n',
    put: '',
    test: {
      file: API,
      title: 'returns its current state when it is submitted again, in any state of the charge',
    },
  },
  {
    rule: 'a signature is deleted when its request is completed',
    file: 'shared/db/migrations/000014_requests.sql',
    take: "  new.payload := '{}';\n",
    put: '',
    test: { file: API, title: 'is deleted from the request once there is a response' },
  },
  {
    rule: 'an authorization whose transfer is not seen is in flight',
    file: 'shared/db/pay-by-signature/authorization-facts.ts',
    take: "a.status in ('mined', 'final', 'taken') and not",
    put: "a.status in ('none') and not",
    test: { file: API, title: 'rejects preparing and submitting for a charge' },
  },
]
