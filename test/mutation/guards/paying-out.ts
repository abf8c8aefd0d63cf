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

/** From a confirmed charge to the wallets. */
export const PAYING_OUT_RULES: readonly Mutant[] = [
  {
    rule: 'the parts of a split sum to the whole',
    file: 'shared/domain/allocation.ts',
    take: 'rest - allocation, TOTAL_ALLOCATION)',
    put: 'rest - allocation, TOTAL_ALLOCATION - 1)',
    test: { file: ALLOCATION, title: 'the allocations sum to exactly 1,000,000' },
  },
  {
    rule: 'the share of a split recipient is never rounded to zero',
    file: 'shared/domain/allocation.ts',
    take: 'allocation: Math.max(1, toAllocation(grossShare, incentive))',
    put: 'allocation: toAllocation(grossShare, incentive)',
    test: { file: ALLOCATION, title: 'every other recipient, including the treasury, gets at least theirs' },
  },
  {
    rule: 'a grossed-up amount nets the merchant at least the requested amount',
    file: 'shared/domain/fee.ts',
    take: 'micro(divCeil(terms.requestedMicro * HUNDRED_PERCENT, netPercent))',
    put: 'micro((terms.requestedMicro * HUNDRED_PERCENT) / netPercent)',
    test: { file: MONEY, title: 'a grossed-up amount nets at least the requested amount' },
  },
  {
    rule: "the merchant's own held share keeps the settlement pending",
    file: 'indexer/payouts/update-ledgers.ts',
    take: ' && merchantHeldAtomic <= 0n',
    put: '',
    test: {
      file: 'test/property/charge-settlement.test.ts',
      title: 'is completed exactly when the deciding payments are distributed',
    },
  },
  {
    rule: 'a later distribution by any sender completes a failed payout',
    file: 'machines/payout.ts',
    take: "failed: { on: { 'payout.covered': coveredByOthers, 'funds.added': reopened } },",
    put: "failed: { on: { 'funds.added': reopened } },",
    test: { file: DECIDE, title: 'is completed by a distribution of any sender, even after it has failed' },
  },
  {
    rule: 'the last attempt fails the payout',
    file: 'indexer/payouts/retry-schedule.ts',
    take: 'return attempts >= delaysSeconds.length',
    put: 'return attempts > delaysSeconds.length',
    test: {
      file: DECIDE,
      title:
        'fails at the last attempt of the schedule, notifies the charge, and is offered to the keepers again',
    },
  },
  {
    rule: 'a charge is settled exactly when the deciding amounts are distributed',
    file: 'indexer/payouts/update-ledgers.ts',
    take: 'return distributedAtomic >= smaller(settlementAtomic, payableOf(ledger)) && ',
    put: 'return distributedAtomic >= 0n * settlementAtomic && ',
    test: {
      file: 'test/integration/charges/charge-settlement.test.ts',
      title: 'settle only if every paid pair is covered',
    },
  },
  {
    rule: 'a payout with an unresolved transaction is not signed again',
    file: 'shared/db/relayer/daemon/relayer-transactions.ts',
    take: "payout_id = ${payoutId} and status in ('signed', 'mined') limit 1",
    put: "payout_id = ${payoutId} and status in ('none') limit 1",
    test: {
      file: WORKER,
      title: 'never signs while a transaction of the payout is unresolved, even without a lease',
    },
  },
  {
    rule: 'a distribution by another sender is not paid again before it is counted',
    file: 'shared/db/payouts/daemon/due-payouts.ts',
    take: "and e.kind = 'distributed' and e.presence = 'present' and e.applied_at is null\n",
    put: "and e.kind = 'distributed' and false\n",
    test: {
      file: WORKER,
      title: 'does not pay an amount that a keeper has distributed before the ledger counts it',
    },
  },
  {
    rule: 'dust waits until it is worth a transaction',
    file: 'indexer/payouts/claim-payouts.ts',
    take: 'if (payout.isDust) await',
    put: 'if (payout.isDust && payout.attempts > 9) await',
    test: { file: WORKER, title: 'lets dust wait, and pays once the sum is large enough' },
  },
  {
    rule: 'late money of an expired charge below the minimum starts no settlement',
    file: 'indexer/payouts/update-ledgers.ts',
    take: 'owedAtomic > 0n && !isDust(owedAtomic, { decimals: ledger.decimals, minimumAtto })',
    put: 'owedAtomic > 0n',
    test: {
      file: 'test/integration/charges/charge-settlement.test.ts',
      title: 'settle nothing on an expired charge until late payments are worth a payout',
    },
  },
  {
    rule: 'organizations are served in turn',
    file: 'indexer/payouts/claim-payouts.ts',
    take: '    served = due.at(-1)?.organizationId ?? served\n',
    put: '',
    test: {
      file: 'test/integration/payouts/fair-payouts.test.ts',
      title: 'are all claimed in as many turns as there are batches of organizations, without skipping any',
    },
  },
  {
    rule: 'a tip never exceeds its maximum',
    file: 'indexer/relayer/gas-fees.ts',
    take: 'const tip = smaller(suggested, bounds.maxTipPerGasWei)',
    put: 'const tip = suggested',
    test: { file: GAS_FEES, title: 'caps the tip of a single node at the bound' },
  },
  {
    rule: 'the lower one of two suggested tips is paid',
    file: 'indexer/relayer/gas-fees.ts',
    take: 'tips[Math.floor((tips.length - 1) / 2)]',
    put: 'tips.at(-1)',
    test: {
      file: GAS_FEES,
      title: 'pays the honest tip if one of two or three nodes reports a higher one, in any order',
    },
  },
  {
    rule: 'a fee never exceeds the ceiling',
    file: 'indexer/relayer/gas-fees.ts',
    take: 'maxFeePerGas <= bounds.maxFeePerGasWei && ',
    put: '',
    test: {
      file: GAS_FEES,
      title: 'does not replace a stuck transaction if the ceiling is below the minimum raise',
    },
  },
  {
    rule: 'a transaction is resolved exactly at its confirmation depth',
    file: 'indexer/relayer/settle-used-nonce.ts',
    take: 'getDepth({ head, block: blockNumber }) >= context.terms.confirmations',
    put: 'true',
    test: { file: RELAYER, title: 'resolves a transaction at the confirmation depth and not before' },
  },
  {
    rule: 'a reorganization can move a transaction to another block',
    file: 'shared/domain/allowed-transitions.ts',
    take: "  { from: 'mined', to: 'mined', when: 'a reorganization moved it to another block' },\n",
    put: '',
    test: {
      file: RELAYER,
      title:
        'follows a transaction into the block of a reorganization, and waits for the depth of that block',
    },
  },
  {
    rule: 'a transaction that a reorganization has removed is sent again',
    file: 'indexer/relayer/track-transactions.ts',
    take: "      ? transitionTransaction(context, transaction, { to: 'signed', blockNumber: null })\n",
    put: '      ? false\n',
    test: { file: RELAYER, title: 'resends a transaction after a reorganization has removed it' },
  },
  {
    rule: 'a node that is still catching up decides nothing',
    file: 'indexer/relayer/track-transactions.ts',
    take: '  if (head >= highest) return false\n',
    put: '  if (head >= highest || log) return false\n',
    test: { file: RELAYER, title: 'concludes nothing from a node that is still catching up' },
  },
  {
    rule: 'a quorum with the same receipt must report which transaction used a nonce',
    file: 'indexer/relayer/query-nonce-use.ts',
    take: "[txHash, blockHash.toLowerCase(), blockNumber, isSuccess].join('/')",
    put: "[txHash, blockHash.toLowerCase(), blockNumber].join('/')",
    test: { file: LYING, title: 'has the result that a quorum shows if the' },
  },
  {
    rule: 'a mined transaction is not given up while nodes contradict each other',
    file: 'indexer/relayer/settle-used-nonce.ts',
    take: "  if (verdict.outcome === 'agreed' && verdict.agreed.value.type !== 'unknown')\n",
    put: "  if (verdict.outcome === 'disagreed') return transitionTransaction(context, transaction, { to: 'replaced', blockNumber: null })\n  if (verdict.outcome === 'agreed' && verdict.agreed.value.type !== 'unknown')\n",
    test: {
      file: RELAYER,
      title:
        'gives up no nonce while one of two nodes omits its receipt, no matter how long; a third decides',
    },
  },
  {
    rule: 'a nonce counts as used by another sender only at confirmation depth',
    file: 'indexer/relayer/query-nonce-use.ts',
    take: "return { type: isUsed ? 'foreign' : 'unknown' }",
    put: "return { type: isUsed || nonce >= 0 ? 'foreign' : 'unknown' }",
    test: {
      file: RELAYER,
      title: 'gives up a nonce that another holder of the key has used, and retries the payout',
    },
  },
  {
    rule: 'one node cannot report a nonce as used or a head as reached',
    file: 'shared/chain/nodes/query-height.ts',
    take: 'findQuorumHeight(heights, quorum)',
    put: 'findQuorumHeight(heights, Math.min(quorum, 1))',
    test: { file: LYING, title: 'is not resolved by a head that one of two nodes invents' },
  },
  {
    rule: 'stored bytes are broadcast again while no quorum responds',
    file: 'indexer/relayer/track-transactions.ts',
    take: '    await offerOpen(context, open)\n',
    put: '    void offerOpen\n',
    test: {
      file: RELAYER,
      title:
        'gives up no nonce while one of two nodes is silent, no matter how long, and rebroadcasts the same bytes',
    },
  },
  {
    rule: 'one node that reports that a call works is sufficient',
    file: 'shared/chain/nodes/query-simulation.ts',
    take: "if (verdict.outcome !== 'agreed') return isDoubted ? null : withMostGas(working)",
    put: "if (verdict.outcome !== 'agreed') return isDoubted ? null : withMostGas(working.slice(0, 0))",
    test: {
      file: LYING,
      title: 'reports that every call reverts with',
    },
  },
  {
    rule: 'after a reverted broadcast, one node is not sufficient to report that a call works',
    file: 'shared/chain/nodes/query-simulation.ts',
    take: 'return isDoubted ? null : withMostGas(working)',
    put: 'return withMostGas(working)',
    test: {
      file: LYING,
      title: 'is not resent based on one node once a transaction for it has reverted',
    },
  },
  {
    rule: 'the next simulation takes a reverted broadcast of the payout into account',
    file: 'shared/db/payouts/daemon/due-payouts.ts',
    take: "where r.payout_id = p.id and r.status = 'reverted' and not r.is_cancellation) as has_reverted",
    put: "where r.payout_id = p.id and r.status = 'none' and not r.is_cancellation) as has_reverted",
    test: {
      file: LYING,
      title: 'is not resent based on one node once a transaction for it has reverted',
    },
  },
  {
    rule: 'a quorum must report that a call reverts',
    file: 'shared/chain/nodes/query-simulation.ts',
    take: "if (decided === null) throw new NoQuorumError('a simulation', responses)",
    put: "const [lone] = responses.reports\n  if (decided === null && lone?.value.type === 'reverts') throw lone.value.error\n  if (decided === null) throw new NoQuorumError('a simulation', responses)",
    test: { file: LYING, title: 'uses up no attempt by a revert at one node while the other is silent' },
  },
  {
    rule: 'nodes that report different revert errors are not a quorum',
    file: 'shared/chain/nodes/query-simulation.ts',
    take: "`reverts: ${findRevert(simulation.error)?.name ?? 'with an unknown error'}`",
    put: '`reverts`',
    test: {
      file: SIMULATION,
      title: 'returns unknown if one node reports a revert and the other is silent or reports another error',
    },
  },
  {
    rule: 'gas above our maximum is not accepted from one node',
    file: 'shared/chain/nodes/query-simulation.ts',
    take: "simulation.call.gas <= maxGas ? 'works' : 'works for too much gas'",
    put: "simulation.call.gas <= maxGas ? 'works' : 'works'",
    test: { file: SIMULATION, title: 'accepts more gas than our limit only from a quorum' },
  },
  {
    rule: 'the highest gas estimate of the deciding nodes is used',
    file: 'shared/chain/nodes/query-simulation.ts',
    take: '(a.gas > b.gas ? -1 : a.gas < b.gas ? 1 : 0)',
    put: '(a.gas > b.gas ? 1 : a.gas < b.gas ? -1 : 0)',
    test: {
      file: SIMULATION,
      title: 'requires a quorum that reports success once a broadcast of the call has reverted',
    },
  },
  {
    rule: 'a success without its event is examined again',
    file: 'indexer/relayer/track-transactions.ts',
    take: '  await reexamineTransactions(context)\n',
    put: '  void reexamineTransactions\n',
    test: { file: LYING, title: 'is reopened ten minutes later by a quorum, and paid' },
  },
  {
    rule: 'a success is examined again ten minutes after depth, and not before',
    file: 'indexer/relayer/reexamine-transactions.ts',
    take: 'const EXAMINED_AFTER_MS = 600_000',
    put: 'const EXAMINED_AFTER_MS = 60_000',
    test: { file: LYING, title: 'is reopened ten minutes later by a quorum, and paid' },
  },
  {
    rule: 'a success that a quorum confirms is not reopened',
    file: 'indexer/relayer/reexamine-transactions.ts',
    take: "if (verdict.outcome === 'agreed' && !verdict.agreed.value) {",
    put: "if (verdict.outcome === 'agreed') {",
    test: {
      file: LYING,
      title: 'stays final if a quorum reports that it succeeded, no matter how long its event is missing',
    },
  },
  {
    rule: 'at most eight transactions are unmined',
    file: 'indexer/relayer/sign-transaction.ts',
    take: '(await countUnmined(db, key)) >= terms.maxUnmined',
    put: '(await countUnmined(db, key)) >= 10 * terms.maxUnmined',
    test: {
      file: WORKER,
      title: 'respects the limit of unmined transactions if two processes fill it simultaneously',
    },
  },
  {
    rule: 'an expired transaction is not mined hours later',
    file: 'indexer/relayer/rebroadcast.ts',
    take: 'const isOver = validUntil !== null && secondsSince(validUntil) >= 0',
    put: 'const isOver = false',
    test: {
      file: 'test/integration/relayer/emptied-nonce.test.ts',
      title: 'is used once its time has passed, though it could be mined hours later at lower gas prices',
    },
  },
  {
    rule: 'an order of a releaser is executed for at most five minutes',
    file: 'shared/db/escrow/escrow-requests.ts',
    take: 'export const ORDER_OPEN_SECONDS = 300',
    put: 'export const ORDER_OPEN_SECONDS = 400',
    test: { file: ESCROW_WORKER, title: 'executes no order older than five minutes' },
  },
  {
    rule: 'one node cannot decide the cost of posting to L1',
    file: 'indexer/relayer/lower-median.ts',
    take: '(sorted.length - 1) / 2',
    put: 'sorted.length - 1',
    test: {
      file: 'test/unit/relayer/quote-data-fee.test.ts',
      title: 'returns the honest fee if one of two or three nodes reports a higher one, in any order',
    },
  },
  {
    rule: 'a payout waits while posting it to L1 costs more than our maximum',
    file: 'indexer/relayer/to-relayer.ts',
    take: 'if (!dataFee.isWithinBound)',
    put: 'if (false)',
    test: {
      file: DATA_FEE,
      title: 'delays a payout while it is above our limit, without a failed attempt, until it is lower',
    },
  },
  {
    rule: 'the required balance includes the cost of posting to L1',
    file: 'indexer/relayer/rebroadcast.ts',
    take: 'call.gas * pricePerGasWei + posting.besideWei',
    put: 'call.gas * pricePerGasWei',
    test: {
      file: DATA_FEE,
      title: 'is paid by the account: a transaction that waits for funds is not given up',
    },
  },
]
