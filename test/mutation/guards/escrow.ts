import type { Mutant } from '../mutant.ts'

const ESCROW = 'test/unit/charges/escrow-charge.test.ts'
const END = 'test/unit/domain/escrow-end.test.ts'
const LAWS = 'test/property/escrow-end.test.ts'
const ENDS = 'test/integration/escrow/escrow-ends.test.ts'
const WORKER = 'test/integration/escrow/escrow-worker.test.ts'
const ORDERS = 'test/integration/api/escrow-orders.test.ts'
const SIMULATED = 'test/integration/charges/simulated-escrow.test.ts'

/** When and how an escrow ends, which decisions ignore dust, and how much an order may leave in the Safe. */
export const ESCROW_RULES: readonly Mutant[] = [
  {
    rule: 'an escrow ends when nearly all of its credits have left, not at the first transfer',
    file: 'shared/domain/escrow-end.ts',
    take: '  if (sums.left * 100n < sums.credited * NEARLY_ALL_PERCENT) return null\n',
    put: '',
    test: {
      file: ENDS,
      title: 'is not triggered by a released or refunded cent, and a full release after it counts',
    },
  },
  {
    rule: 'nearly all means 99 percent, not less',
    file: 'shared/domain/escrow-end.ts',
    take: 'NEARLY_ALL_PERCENT = 99n',
    put: 'NEARLY_ALL_PERCENT = 98n',
    test: { file: END, title: 'a little less than 99 percent left' },
  },
  {
    rule: 'transfers out of a Safe are summed over all transactions',
    file: 'shared/domain/escrow-end.ts',
    take: '    left: sums.left + left,\n',
    put: '    left,\n',
    test: { file: END, title: 'it left in two steps' },
  },
  {
    rule: 'an escrow with only dust credited does not end',
    file: 'shared/domain/escrow-end.ts',
    take: 'movements.length === 0 || sums.credited === 0n',
    put: 'movements.length === 0',
    test: { file: ENDS, title: 'is not an order that moved only dust: the next order ends it' },
  },
  {
    rule: 'dust is not part of the credited amount of an escrow',
    file: 'shared/domain/escrow-end.ts',
    take: 'return { timestamp, amountAtto: 0n }',
    put: 'return { timestamp, amountAtto }',
    test: { file: LAWS, title: 'is not changed by dust from third parties' },
  },
  {
    rule: 'dust of one sender counts once its sum is no longer dust',
    file: 'shared/domain/escrow-end.ts',
    take: 'amountAtto: isFirst ? before + amountAtto : amountAtto',
    put: 'amountAtto',
    test: { file: END, title: 'one sender’s dust added up, and a part of it left' },
  },
  {
    rule: 'dust is below 1 percent of the charge',
    file: 'shared/domain/escrow-end.ts',
    take: 'DUST_PERCENT = 1n',
    put: 'DUST_PERCENT = 2n',
    test: { file: END, title: 'returns true below 1 percent of the charge’s amount' },
  },
  {
    rule: 'a transfer out of a Safe is a release only if 99 percent reached the split',
    file: 'shared/domain/escrow-end.ts',
    take: 'return reached * 100n >= left * NEARLY_ALL_PERCENT',
    put: 'return reached > 0n',
    test: { file: END, title: 'a little less of what left reached the split' },
  },
  {
    rule: 'a releaser’s order decides how the escrow ends, regardless of other transfers',
    file: 'shared/domain/escrow-end.ts',
    take: '  if (ordered) return { action: ordered, byEndpoint: true }\n',
    put: '',
    test: { file: ENDS, title: 'completes by the order for the rest after an on-chain refund of 20 percent' },
  },
  {
    rule: 'an order is executed only if its destination was paid',
    file: 'shared/db/escrow/executed-orders.ts',
    take: ' and bool_or(t.recipient = o.destination)',
    put: '',
    test: { file: ENDS, title: 'is not an order whose amount went to another account' },
  },
  {
    rule: 'an order is executed only by its whole amount',
    file: 'shared/db/escrow/executed-orders.ts',
    take: 'sum(t.amount_atomic) = o.amount_atomic and ',
    put: '',
    test: { file: ENDS, title: 'is not an order with a different withdrawn amount' },
  },
  {
    rule: 'a transfer before an order was created does not execute it',
    file: 'shared/db/escrow/executed-orders.ts',
    take: 'min(t.block_number) > coalesce(o.after_block, -1)',
    put: 'true',
    test: {
      file: WORKER,
      title: 'does not confuse the order with an earlier transfer of the same amount',
    },
  },
  {
    rule: 'an order that ended no escrow stays open until the ledger has its transfer',
    file: 'shared/db/escrow/executed-orders.ts',
    take: '      and t.applied_at is not null\n',
    put: '      and false\n',
    test: {
      file: ORDERS,
      title: 'is rejected after an order is mined until the ledger contains its transfer',
    },
  },
  {
    rule: 'an end on chain waits until the Safe’s balances are compared',
    file: 'indexer/charges/end-escrows.ts',
    take: '    .filter(({ chargeId }) => !waiting.has(chargeId))\n    .map',
    put: '    .filter(({ chargeId }) => waiting !== undefined || chargeId)\n    .map',
    test: { file: ENDS, title: 'waits, with an alert, while the Safe holds more than our rows explain' },
  },
  {
    rule: 'a shortage in a Safe does not delay the end',
    file: 'indexer/escrow/check-escrow-ends.ts',
    take: 'differences.filter(isExcess)',
    put: 'differences.filter((one) => isExcess(one) || !isExcess(one))',
    test: { file: ENDS, title: 'does not wait for a shortage' },
  },
  {
    rule: 'an unreadable balance delays the end for one minute, and no longer',
    file: 'shared/db/escrow/daemon/escrow-end-checks.ts',
    take: 'UNREAD_WAIT_SECONDS = 60',
    put: 'UNREAD_WAIT_SECONDS = 600',
    test: { file: ENDS, title: 'waits a minute, and no longer, for an unreadable balance' },
  },
  {
    rule: 'only the amount that has reached the split settles a released escrow',
    file: 'indexer/payouts/update-ledgers.ts',
    take: 'isDecided ? smaller(ledger.settlementAtomic, payable) : payable',
    put: 'isDecided ? ledger.settlementAtomic : payable',
    test: {
      file: ESCROW,
      title:
        'is settled by the amount that reached the split, regardless of a remainder in the Safe or a token fee',
    },
  },
  {
    rule: 'money that arrives in a Safe after the end decides no settlement',
    file: 'indexer/charges/decide-charge.ts',
    take: ' && !hasEnded(value)',
    put: '',
    test: { file: ESCROW, title: 'does not wait for payments that arrive in the Safe after the release' },
  },
  {
    rule: 'money that reaches a split is paid out, and ends nothing',
    file: 'indexer/charges/decide-charge.ts',
    take: 'isIntoSplit ? [SPLIT_REACHED] : []',
    put: 'isIntoSplit ? [] : []',
    test: { file: ESCROW, title: 'pays out a transfer into the split after a refund' },
  },
  {
    rule: 'dust in a second pair neither closes the endpoints nor redirects a refund',
    file: 'shared/db/escrow/escrow-facts.ts',
    take: 'where is_dust = is_only_dust',
    put: 'where is_dust or not is_dust',
    test: { file: ORDERS, title: 'a refund goes to the last payer and shows the transfer' },
  },
  {
    rule: 'dust counts if no other credit exists',
    file: 'shared/db/escrow/escrow-facts.ts',
    take: 'where is_dust = is_only_dust',
    put: 'where not is_dust',
    test: { file: ORDERS, title: 'a refund of an escrow with only dust goes to the last sender' },
  },
  {
    rule: 'an order leaves at most dust in the Safe',
    file: 'shared/domain/escrow-order.ts',
    take: 'restAtomic >= 0n && amountAtomic > 0n && isAccepted',
    put: 'restAtomic >= 0n && amountAtomic > 0n',
    test: { file: ORDERS, title: 'is rejected for an amount above the balance' },
  },
  {
    rule: 'an order takes at most the balance',
    file: 'shared/domain/escrow-order.ts',
    take: 'restAtomic >= 0n && amountAtomic > 0n && isAccepted',
    put: 'amountAtomic > 0n && isAccepted',
    test: { file: ORDERS, title: 'is rejected for an amount above the balance' },
  },
  {
    rule: 'the daemon executes the signed amount, not a later balance',
    file: 'api/charges/escrow/submit-escrow-order.ts',
    take: 'signature, amountAtomic: String(amountAtomic) }',
    put: 'signature, amountAtomic: amountAtomic > 0n ? null : null }',
    test: { file: ORDERS, title: 'is accepted with the signed amount after a third party’s dust arrived' },
  },
  {
    rule: 'dust does not end a simulated escrow',
    file: 'shared/domain/escrow-order.ts',
    take: 'facts.simulatedSafe !== null && facts.isOnlyDust',
    put: 'facts.simulatedSafe !== null && facts.paidPairs < 0',
    test: {
      file: SIMULATED,
      title:
        'is not blocked by dust on a second pair, not refunded to a sender of dust, and cannot be moved by dust only',
    },
  },
  {
    rule: 'a Safe that pays itself changes no balance',
    file: 'shared/db/chain-facts/daemon/expected-balances.ts',
    take: '        and r.sender is distinct from c.address\n',
    put: '',
    test: {
      file: 'test/integration/escrow/escrow-on-chain.test.ts',
      title: 'expects no further payment in a Safe that paid itself',
    },
  },
]
