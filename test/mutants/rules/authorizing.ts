import type { Mutant } from '../mutant.ts'

const PLAN = 'test/unit/domain/plan-authorization.test.ts'
const SIGNING = 'test/unit/relayer/find-signing-problem.test.ts'
const CONFIG = 'test/unit/runtime/config.test.ts'
const LIES = 'test/integration/authorizations/lies.test.ts'
const WORKER = 'test/integration/authorizations/authorization-worker.test.ts'
const API = 'test/integration/api/authorization.test.ts'

/** Carrying out what payers sign: never twice, for nobody else, and at no cost of the payouts. */
export const AUTHORIZING_RULES: readonly Mutant[] = [
  {
    rule: 'nobody is asked to sign while a chain that his charge accepts is not seen',
    file: 'shared/db/authorizations/authorization-facts.ts',
    take: ' as is_feed_stale',
    put: ' and false as is_feed_stale',
    test: { file: WORKER, title: 'is not signed while a chain that its charge accepts is not seen' },
  },
  {
    rule: 'a nonce that is spent by what no node shows may have paid',
    file: 'indexer/authorizations/verify-authorization.ts',
    take: '  if (use === null || depth({ head, block: use.blockNumber }) < confirmations)',
    put: '  if (use !== null && depth({ head, block: use.blockNumber }) < confirmations)',
    test: { file: WORKER, title: 'whose nonce is spent by what no node shows is neither refused nor sent' },
  },
  {
    rule: 'nothing lapses while our own transaction is mined or deep',
    file: 'indexer/authorizations/follow-authorizations.ts',
    take: "['mined', 'final'].includes(transaction.status)",
    put: "['mined'].includes(transaction.status)",
    test: { file: WORKER, title: 'does not lapse once ours is deep, whatever nodes say' },
  },
  {
    rule: 'nothing lapses by the state of an older block',
    file: 'indexer/authorizations/is-worthless.ts',
    take: '(block: bigint) => isAuthorizationSpent(node, authorization, block)',
    put: '(_block: bigint) => isAuthorizationSpent(node, authorization)',
    test: { file: WORKER, title: 'does not lapse by a state older than the head' },
  },
  {
    rule: 'nothing is canceled by one node’s word',
    file: 'indexer/authorizations/is-spent-otherwise.ts',
    take: '.every((isOver) => isOver)',
    put: '.some((isOver) => isOver)',
    test: { file: WORKER, title: 'is not canceled by the word of one of two nodes' },
  },
  {
    rule: 'of a payer nothing is told to who has not his signature',
    file: 'indexer/authorizations/verify-authorization.ts',
    take: '  const isSignedByKey = await requireSigned(context, asked, offered)\n',
    put: '  await requireGoodRecord(sql, { request, asked })\n  const isSignedByKey = await requireSigned(context, asked, offered)\n',
    test: { file: LIES, title: 'of a payer whose payment is under way, without his signature' },
  },
  {
    rule: 'what was final and is taken back is in flight',
    file: 'shared/db/authorizations/daemon/authorizations.ts',
    take: "a.status in ('final', 'taken') and a.ended_at >",
    put: "a.status in ('none') and a.ended_at >",
    test: {
      file: WORKER,
      title: 'is in flight again when a reorganization deeper than its depth takes it back',
    },
  },
  {
    rule: 'what was seen is not asked again before it is deep',
    file: 'shared/domain/asked-amount.ts',
    take: ' - (receivedAtto ?? 0n) - seenAtto',
    put: ' - (receivedAtto ?? 0n) - 0n * seenAtto',
    test: { file: PLAN, title: 'is what has neither been credited nor seen' },
  },
  {
    rule: 'nobody is asked to sign while something signed may pay',
    file: 'shared/domain/plan-authorization.ts',
    take: "  if (facts.inFlight !== null) return { type: 'in_flight' }\n",
    put: '',
    test: { file: PLAN, title: 'is nothing while something signed may pay, whatever the charge has become' },
  },
  {
    rule: 'a payment by signature is never late',
    file: 'shared/domain/authorization-window.ts',
    take: 'smaller(secondsOf(expiresAt), nowSeconds + MOST_SECONDS)',
    put: 'nowSeconds + MOST_SECONDS',
    test: { file: PLAN, title: 'never ends after the charge does' },
  },
  {
    rule: 'the account for payouts signs no authorization, nor the other one anything else',
    file: 'indexer/relayer/find-signing-problem.ts',
    take: 'dutyOf(step) !== permits.duty',
    put: 'false',
    test: { file: SIGNING, title: 'is nothing' },
  },
  {
    rule: 'our gas pays nobody but charges that were computed again',
    file: 'indexer/relayer/find-signing-problem.ts',
    take: 'permits.charges.some(({ address }) => address === step.recipient)',
    put: 'permits.charges.length > 0',
    test: { file: SIGNING, title: 'is nothing' },
  },
  {
    rule: 'no authorization is signed among several calls',
    file: 'indexer/relayer/read-steps.ts',
    take: 'const step = readPayoutStep(call, EVM.predictSplit) ??',
    put: 'const step = readAuthorization(call) ?? readPayoutStep(call, EVM.predictSplit) ??',
    test: { file: SIGNING, title: 'is nothing' },
  },
  {
    rule: 'payments by signature have an account of their own',
    file: 'shared/runtime/authorization-config.ts',
    take: 'key.toLowerCase() === payoutKey?.toLowerCase() &&',
    put: 'key === payoutKey &&',
    test: { file: CONFIG, title: 'does not start' },
  },
  {
    rule: 'exactly what is asked is carried out',
    file: 'shared/domain/require-authorizable.ts',
    take: 'if (authorization.value !== pair.valueAtomic)',
    put: 'if (authorization.value > pair.valueAtomic)',
    test: { file: LIES, title: 'is believed nothing' },
  },
  {
    rule: 'a charge whose terms are not ours is paid by nobody’s signature',
    file: 'indexer/authorizations/verify-authorization.ts',
    take: '  if (problem === null) return charge\n',
    put: '  return charge\n',
    test: { file: LIES, title: 'of a charge whose terms are not ours' },
  },
  {
    rule: 'what is asked is read again under the lock in which it is signed',
    file: 'indexer/authorizations/authorization-worker.ts',
    take: '    await requireAskedFor(db, verified, clock())\n',
    put: '',
    test: { file: WORKER, title: 'is not signed when a transfer is seen after it was simulated' },
  },
  {
    rule: 'an authorization whose transaction reverted is in flight until its window is over',
    file: 'indexer/authorizations/is-worthless.ts',
    take: 'deep === null || Number(deep.timestamp) < authorization.validBefore',
    put: 'deep === null',
    test: { file: WORKER, title: 'lapses only when its window is past at depth and its nonce unused' },
  },
  {
    rule: 'one node’s word ends no authorization',
    file: 'indexer/authorizations/is-worthless.ts',
    take: 'said.every((isOver) => isOver)',
    put: 'said.some((isOver) => isOver)',
    test: { file: WORKER, title: 'does not lapse by the word of one of two nodes' },
  },
  {
    rule: 'what somebody else sent first is as good as ours',
    file: 'indexer/authorizations/verify-authorization.ts',
    take: '  if (use?.isPayment === true) return { txHash: use.txHash, fromBlock }\n',
    put: '',
    test: { file: WORKER, title: 'that somebody else has sent first is answered with his hash' },
  },
  {
    rule: 'a nonce that was spent otherwise has paid nothing',
    file: 'indexer/authorizations/follow-authorizations.ts',
    take: '  if (use.isPayment) {',
    put: '  if (use.blockNumber >= 0) {',
    test: { file: WORKER, title: 'is over when its payer cancels it, at depth and not before' },
  },
  {
    rule: 'the account that is empty signs nothing',
    file: 'indexer/authorizations/prepare-authorization-call.ts',
    take: '  if (balance < gas * fees.maxFeePerGas + dataFee.besideWei)',
    put: '  if (balance < 0n)',
    test: { file: WORKER, title: 'is empty is refused, and payouts go on' },
  },
  {
    rule: 'the same signature is never a second payment',
    file: 'api/authorization/submit-authorization.ts',
    take: '  if (taken !== null) return waitForTaken(deps, sought, taken)\n',
    put: '',
    test: { file: API, title: 'is answered as it was when it comes again, whatever the charge has become' },
  },
  {
    rule: 'a signature that was answered is kept nowhere',
    file: 'shared/db/migrations/000114_authorization_requests.sql',
    take: "  new.payload := '{}';\n",
    put: '',
    test: { file: API, title: 'is kept nowhere once it is answered' },
  },
  {
    rule: 'what its transfer is not seen of is in flight',
    file: 'shared/db/authorizations/authorization-facts.ts',
    take: "a.status in ('mined', 'final', 'taken') and not exists",
    put: "a.status in ('none') and not exists",
    test: { file: API, title: 'is neither prepared nor taken of a charge' },
  },
]
