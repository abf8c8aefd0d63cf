import type { Mutant } from '../mutant.ts'

const ALLOCATION = 'test/property/allocation.test.ts'
const MONEY = 'test/property/money.test.ts'
const WORKER = 'test/integration/payouts/payout-worker.test.ts'
const RELAYER = 'test/integration/relayer/relayer.test.ts'
const LYING = 'test/integration/relayer/lying-results.test.ts'
const SIMULATION = 'test/unit/chain/nodes/query-simulation.test.ts'
const GAS_FEES = 'test/unit/relayer/gas-fees.test.ts'
const DATA_FEE = 'test/integration/relayer/data-fee.test.ts'
const ESCROW_WORKER = 'test/integration/escrow/escrow-worker.test.ts'
const DECIDE = 'test/unit/payouts/decide-payout.test.ts'

/** Rules for the path of money from a confirmed charge to the wallets. */
export const PAYING_OUT_RULES: readonly Mutant[] = [
  {
    rule: 'the parts of a split sum to the whole',
    at: 'shared/domain/allocation.ts#allocate',
    take: 'rest - allocation, TOTAL_ALLOCATION)',
    put: 'rest - allocation, TOTAL_ALLOCATION - 1)',
    test: { file: ALLOCATION, title: 'the allocations sum to exactly 1,000,000' },
  },
  {
    rule: 'the share of a split recipient is never rounded to zero',
    at: 'shared/domain/allocation.ts#allocateRecipients',
    take: 'allocation: Math.max(1, toAllocation(grossShare, incentive))',
    put: 'allocation: toAllocation(grossShare, incentive)',
    test: {
      file: ALLOCATION,
      title:
        'every other recipient, including the treasury, gets at least the exact share minus one millionth',
    },
  },
  {
    rule: 'a grossed-up amount nets the merchant at least the requested amount',
    at: 'shared/domain/fee.ts#grossUp',
    take: 'micro(divCeil(terms.requestedMicro * HUNDRED_PERCENT, netPercent))',
    put: 'micro((terms.requestedMicro * HUNDRED_PERCENT) / netPercent)',
    test: {
      file: MONEY,
      title:
        'a grossed-up amount nets at least the requested amount, and an amount one micro-dollar lower nets less',
    },
  },
  {
    rule: "the merchant's own held share keeps the settlement pending",
    at: 'indexer/payouts/update-ledgers.ts#isPaidOut',
    take: '&& merchantHeldAtomic <= 0n',
    put: '',
    test: {
      file: 'test/property/charge-settlement.test.ts',
      title:
        'is completed exactly when the payments that decide the settlement are distributed and the merchant has no held share',
    },
  },
  {
    rule: 'a later distribution by any sender completes a failed payout',
    at: 'machines/payout.ts#payoutMachine',
    take: "failed: { on: { 'payout.covered': coveredByOthers, 'funds.added': reopened } }",
    put: "failed: { on: { 'funds.added': reopened } }",
    test: { file: DECIDE, title: 'is completed by a distribution from any sender, even after it has failed' },
  },
  {
    rule: 'a payout has failed once the last attempt of the schedule has failed',
    at: 'indexer/payouts/retry-schedule.ts#isLastAttempt',
    take: 'return attempts >= delaysSeconds.length',
    put: 'return attempts > delaysSeconds.length',
    test: { file: DECIDE, title: 'fails at the last attempt of the schedule, notifies the charge, and' },
  },
  {
    rule: 'a charge is settled only once the amounts that decide its settlement are distributed',
    at: 'indexer/payouts/update-ledgers.ts#isPaidOut',
    take: 'return distributedAtomic >= smaller(settlementAtomic, payableOf(ledger)) &&',
    put: 'return distributedAtomic >= 0n * settlementAtomic &&',
    test: {
      file: 'test/integration/charges/charge-settlement.test.ts',
      title: 'settle only once every paid pair is fully distributed',
    },
  },
  {
    rule: 'a payout with an unresolved transaction is not signed again',
    at: 'shared/db/relayer/daemon/relayer-transactions.ts#hasOpenTransaction',
    take: "payout_id = ${payoutId} and status in ('signed', 'mined') limit 1",
    put: "payout_id = ${payoutId} and status in ('none') limit 1",
    test: { file: WORKER, title: 'never signs while a transaction of the payout is unresolved, even' },
  },
  {
    rule: 'an amount that another sender has distributed is not paid again while that distribution is not yet counted',
    at: 'shared/db/payouts/daemon/due-payouts.ts#isDue',
    take: "and e.kind = 'distributed' and e.inclusion = 'included' and e.applied_at is null",
    put: "and e.kind = 'distributed' and false",
    test: { file: WORKER, title: 'does not pay an amount that a keeper has already distributed, even' },
  },
  {
    rule: 'dust waits until it is worth a transaction',
    at: 'indexer/payouts/claim-payouts.ts#createPayoutClaims',
    take: 'if (payout.isDust) await',
    put: 'if (payout.isDust && payout.attempts > 9) await',
    test: { file: WORKER, title: 'does not pay dust until the sum reaches the minimum payout' },
  },
  {
    rule: 'late payments to an expired charge do not start a settlement while the owed amount is below the minimum payout',
    at: 'indexer/payouts/update-ledgers.ts#updateLateLedgers',
    take: 'owedAtomic > 0n && !isDust(owedAtomic, { decimals: ledger.decimals, minimumAtto })',
    put: 'owedAtomic > 0n',
    test: {
      file: 'test/integration/charges/charge-settlement.test.ts',
      title:
        'start the settlement of an expired charge only once its late payments on one pair reach the minimum payout',
    },
  },
  {
    rule: 'organizations are served in turn',
    at: 'indexer/payouts/claim-payouts.ts#createPayoutClaims',
    take: 'served = due.at(-1)?.organizationId ?? served',
    put: '',
    test: {
      file: 'test/integration/payouts/fair-payouts.test.ts',
      title: 'are claimed for every organization before a second payout',
    },
  },
  {
    rule: 'a tip that nodes suggest is paid only up to its bound',
    at: 'indexer/relayer/gas-fees.ts#chooseFees',
    take: 'const tip = smaller(suggested, bounds.maxTipPerGasWei)',
    put: 'const tip = suggested',
    test: { file: GAS_FEES, title: 'caps the tip of a single node at the bound' },
  },
  {
    rule: 'the lower of two suggested tips is paid',
    at: 'indexer/relayer/gas-fees.ts#chooseFees',
    take: 'tips[Math.floor((tips.length - 1) / 2)]',
    put: 'tips.at(-1)',
    test: {
      file: GAS_FEES,
      title: 'pays the honest tip if one of two or three nodes reports a higher tip, in any order',
    },
  },
  {
    rule: 'the fee of a replacement never exceeds the ceiling',
    at: 'indexer/relayer/gas-fees.ts#bumpFees',
    take: 'maxFeePerGas <= bounds.maxFeePerGasWei &&',
    put: '',
    test: {
      file: GAS_FEES,
      title: 'does not replace a stuck transaction if the minimum raise exceeds the ceiling',
    },
  },
  {
    rule: 'a transaction is resolved exactly at its confirmation depth',
    at: 'indexer/relayer/settle-used-nonce.ts#settleAgreed',
    take: 'getDepth({ head, block: blockNumber }) >= context.terms.confirmations',
    put: 'true',
    test: { file: RELAYER, title: 'resolves a transaction only at the confirmation depth' },
  },
  {
    rule: 'a reorganization can move a transaction to another block',
    at: 'shared/domain/allowed-transitions.ts#RELAYER_TRANSACTION_TRANSITIONS',
    take: "{ from: 'mined', to: 'mined', when: 'a reorganization moved the transaction to another block' },",
    put: '',
    test: { file: RELAYER, title: 'follows a transaction that a reorganization moves to another block' },
  },
  {
    rule: 'a transaction that a reorganization has removed is sent again',
    at: 'indexer/relayer/track-transactions.ts#trackTransaction',
    take: "? transitionTransaction(context, transaction, { to: 'signed', blockNumber: null })",
    put: '? false',
    test: { file: RELAYER, title: 'sends a transaction again after a reorganization has' },
  },
  {
    rule: 'a node that is still catching up does not decide a status',
    at: 'indexer/relayer/track-transactions.ts#isBehind',
    take: 'if (head >= highest) return false',
    put: 'if (head >= highest || log) return false',
    test: { file: RELAYER, title: 'ignores the responses of a node that is still catching up' },
  },
  {
    rule: 'a receipt at a nonce is accepted only if a quorum reports it identically',
    at: 'indexer/relayer/query-nonce-use.ts#describeNonceUse',
    take: "[txHash, blockHash.toLowerCase(), blockNumber, isSuccess].join('/')",
    put: "[txHash, blockHash.toLowerCase(), blockNumber].join('/')",
    test: { file: LYING, title: 'is resolved only by a quorum if the' },
  },
  {
    rule: 'a mined transaction is not abandoned while nodes contradict each other',
    at: 'indexer/relayer/settle-used-nonce.ts#settleUsedNonce',
    take: "if (verdict.outcome === 'agreed' &&",
    put: "if (verdict.outcome === 'disagreed') return transitionTransaction(context, transaction, { to: 'replaced', blockNumber: null })\nif (verdict.outcome === 'agreed' &&",
    test: {
      file: RELAYER,
      title:
        'does not abandon a nonce while one of two nodes omits its receipt, no matter how long, until a third node decides',
    },
  },
  {
    rule: 'a nonce counts as used by another sender only at confirmation depth',
    at: 'indexer/relayer/query-nonce-use.ts#queryNonceUse',
    take: "return { type: isUsed ? 'foreign' : 'unknown' }",
    put: "return { type: isUsed || nonce >= 0 ? 'foreign' : 'unknown' }",
    test: { file: RELAYER, title: 'abandons a nonce that another holder of the key has used, and retries' },
  },
  {
    rule: 'one node’s report is not sufficient to treat a nonce as used or a head as reached',
    at: 'shared/chain/nodes/query-height.ts#findHeight',
    take: 'findQuorumHeight(heights, quorum)',
    put: 'findQuorumHeight(heights, Math.min(quorum, 1))',
    test: { file: LYING, title: 'is not resolved by a head that one of two nodes invents' },
  },
  {
    rule: 'stored bytes are broadcast again while no quorum responds',
    at: 'indexer/relayer/track-transactions.ts#trackTransactions',
    take: 'await offerOpen(context, open)\n    throw error',
    put: 'throw error',
    test: {
      file: RELAYER,
      title:
        'does not abandon a nonce while one of two nodes is silent, no matter how long, and broadcasts the same bytes again',
    },
  },
  {
    rule: 'without a quorum, one node’s report that a call works is sufficient',
    at: 'shared/chain/nodes/query-simulation.ts#decideSimulation',
    take: "if (verdict.outcome !== 'agreed') return isDoubted ? null : withMostGas(working)",
    put: "if (verdict.outcome !== 'agreed') return isDoubted ? null : withMostGas(working.slice(0, 0))",
    test: { file: LYING, title: 'reports that every call reverts with' },
  },
  {
    rule: 'after a reverted broadcast, one node’s report that a call works is not sufficient',
    at: 'shared/chain/nodes/query-simulation.ts#decideSimulation',
    take: 'return isDoubted ? null : withMostGas(working)',
    put: 'return withMostGas(working)',
    test: {
      file: LYING,
      title: 'is not sent again after a reverted transaction while only one of two nodes',
    },
  },
  {
    rule: 'the next simulation takes a reverted broadcast of the payout into account',
    at: 'shared/db/payouts/daemon/due-payouts.ts#lockDuePayouts',
    take: "where r.payout_id = p.id and r.status = 'reverted' and not r.is_cancellation) as has_reverted",
    put: "where r.payout_id = p.id and r.status = 'none' and not r.is_cancellation) as has_reverted",
    test: {
      file: LYING,
      title: 'is not sent again after a reverted transaction while only one of two nodes',
    },
  },
  {
    rule: 'a cancellation of a release is not a reverted release',
    at: 'shared/db/payouts/daemon/held-shares.ts#claimHeldShares',
    take: "r.status = 'reverted' and not r.is_cancellation",
    put: "r.status = 'reverted'",
    test: {
      file: 'test/integration/db/held-shares.test.ts',
      title: 'reports a share as reverted after a reverted release, but not after a reverted cancellation',
    },
  },
  {
    rule: 'a call counts as reverting only if a quorum reports it',
    at: 'shared/chain/nodes/query-simulation.ts#querySimulation',
    take: 'if (decided === null) throw',
    put: "const [lone] = responses.reports\nif (decided === null && lone?.value.type === 'reverts') throw lone.value.error\nif (decided === null) throw",
    test: {
      file: LYING,
      title: 'uses up no attempt for a revert at one node while the other node is silent',
    },
  },
  {
    rule: 'nodes that report different revert errors are not a quorum',
    at: 'shared/chain/nodes/query-simulation.ts#describe',
    take: "`reverts: ${findRevert(simulation.error)?.name ?? 'with an unknown error'}`",
    put: '`reverts`',
    test: {
      file: SIMULATION,
      title: 'throws NoQuorumError if no node reports success and no quorum reports the same revert error',
    },
  },
  {
    rule: 'gas above our maximum is not accepted from one node',
    at: 'shared/chain/nodes/query-simulation.ts#describe',
    take: "simulation.call.gas <= maxGas ? 'works' : 'works, but takes too much gas'",
    put: "simulation.call.gas <= maxGas ? 'works' : 'works'",
    test: { file: SIMULATION, title: 'accepts gas above our limit only if a quorum reports gas above it' },
  },
  {
    rule: 'the highest gas estimate of the deciding nodes is used',
    at: 'shared/chain/nodes/query-simulation.ts#withMostGas',
    take: '(a.gas > b.gas ? -1 : a.gas < b.gas ? 1 : 0)',
    put: '(a.gas > b.gas ? 1 : a.gas < b.gas ? -1 : 0)',
    test: { file: SIMULATION, title: 'requires success from a quorum once a broadcast of the call' },
  },
  {
    rule: 'a successful transaction whose event is missing is examined again',
    at: 'indexer/relayer/track-transactions.ts#trackTransactions',
    take: 'await reexamineTransactions(context)',
    put: 'void reexamineTransactions',
    test: { file: LYING, title: 'is reopened ten minutes later by a quorum, and paid' },
  },
  {
    rule: 'a success is examined again ten minutes after confirmation depth, and not before',
    at: 'indexer/relayer/reexamine-transactions.ts#EXAMINED_AFTER_MS',
    take: 'const EXAMINED_AFTER_MS = 600_000',
    put: 'const EXAMINED_AFTER_MS = 60_000',
    test: { file: LYING, title: 'is reopened ten minutes later by a quorum, and paid' },
  },
  {
    rule: 'a success that a quorum confirms is not reopened',
    at: 'indexer/relayer/reexamine-transactions.ts#examine',
    take: "if (verdict.outcome === 'agreed' && !verdict.agreed.value) {",
    put: "if (verdict.outcome === 'agreed') {",
    test: { file: LYING, title: 'stays final if a quorum reports the success, no matter how long the' },
  },
  {
    rule: 'at most eight transactions of an account are unmined',
    at: 'indexer/relayer/sign-transaction.ts#signTransaction',
    take: '(await countUnmined(db, key)) >= terms.maxUnmined',
    put: '(await countUnmined(db, key)) >= 10 * terms.maxUnmined',
    test: { file: WORKER, title: 'respects the limit on unmined transactions if two processes reach it' },
  },
  {
    rule: 'an expired transaction is not mined hours later',
    at: 'indexer/relayer/rebroadcast.ts#rebroadcast',
    take: 'const isOver = validUntil !== null && secondsSince(validUntil) >= 0',
    put: 'const isOver = false',
    test: {
      file: 'test/integration/relayer/emptied-nonce.test.ts',
      title: 'is used by an empty transfer once the',
    },
  },
  {
    rule: 'a releaser’s order is executed only within five minutes of its creation',
    at: 'shared/db/escrow/escrow-requests.ts#ORDER_OPEN_SECONDS',
    take: 'export const ORDER_OPEN_SECONDS = 300',
    put: 'export const ORDER_OPEN_SECONDS = 400',
    test: { file: ESCROW_WORKER, title: 'does not execute an order older than five minutes' },
  },
  {
    rule: 'one node cannot decide the cost of posting to L1',
    at: 'indexer/relayer/lower-median.ts#lowerMedian',
    take: '(sorted.length - 1) / 2',
    put: 'sorted.length - 1',
    test: {
      file: 'test/unit/relayer/quote-data-fee.test.ts',
      title: 'returns the honest fee if one of two or three nodes reports a higher fee, in any order',
    },
  },
  {
    rule: 'our maximum cost of posting to L1 covers both parts of the cost together',
    at: 'indexer/relayer/quote-data-fee.ts#chooseDataFee',
    take: 'besideWei < leftWei ? besideWei : leftWei',
    put: 'besideWei < maxWei ? besideWei : maxWei',
    test: {
      file: 'test/unit/relayer/quote-data-fee.test.ts',
      title: 'limits both parts of the fee together to the bound, for any reports',
    },
  },
  {
    rule: 'a payout waits while posting it to L1 costs more than our maximum',
    at: 'indexer/relayer/to-relayer.ts#findObstacle',
    take: 'if (!dataFee.isWithinBound)',
    put: 'if (false)',
    test: {
      file: DATA_FEE,
      title: 'delays a payout while it is above our limit, which is not a failed attempt',
    },
  },
  {
    rule: 'the required balance includes the cost of posting to L1',
    at: 'indexer/relayer/rebroadcast.ts#isHopeless',
    take: 'call.gas * pricePerGasWei + posting.besideWei',
    put: 'call.gas * pricePerGasWei',
    test: {
      file: DATA_FEE,
      title: 'counts as a cost that our account must be able to pay before a rejected transaction is',
    },
  },
]
