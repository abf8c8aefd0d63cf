import type { Mutant } from '../mutant.ts'

const ESCROW = 'test/unit/charges/escrow-charge.test.ts'
const END = 'test/unit/domain/escrow-end.test.ts'
const LAWS = 'test/property/escrow-end.test.ts'
const ENDS = 'test/integration/escrow/escrow-ends.test.ts'
const WORKER = 'test/integration/escrow/escrow-worker.test.ts'
const ORDERS = 'test/integration/api/escrow-orders.test.ts'
const SIMULATED = 'test/integration/charges/simulated-escrow.test.ts'

/** When an escrow has ended and how, what dust may not decide, and what an order may leave in the Safe. */
export const ESCROW_RULES: readonly Mutant[] = [
  {
    rule: 'an escrow ends when nearly all of its credits have left, not when something has',
    file: 'shared/domain/escrow-end.ts',
    take: '  if (sums.left * 100n < sums.credited * NEARLY_ALL_PERCENT) return null\n',
    put: '',
    test: {
      file: ENDS,
      title: 'is not triggered by a released or refunded cent, and a full release after it counts',
    },
  },
  {
    rule: 'nearly all is 99 percent, and not a little less',
    file: 'shared/domain/escrow-end.ts',
    take: 'NEARLY_ALL_PERCENT = 99n',
    put: 'NEARLY_ALL_PERCENT = 98n',
    test: { file: END, title: 'a little less than 99 percent left' },
  },
  {
    rule: 'what left a Safe is added up over all transactions',
    file: 'shared/domain/escrow-end.ts',
    take: '    left: sums.left + left,\n',
    put: '    left,\n',
    test: { file: END, title: 'it left in two steps' },
  },
  {
    rule: 'an escrow to which nothing but dust was credited does not end',
    file: 'shared/domain/escrow-end.ts',
    take: 'movements.length === 0 || sums.credited === 0n',
    put: 'movements.length === 0',
    test: { file: ENDS, title: 'is not an order that moved only dust: the next order ends it' },
  },
  {
    rule: 'dust counts for nothing in what was credited to an escrow',
    file: 'shared/domain/escrow-end.ts',
    take: 'return { timestamp, amountAtto: 0n }',
    put: 'return { timestamp, amountAtto }',
    test: { file: LAWS, title: 'is not changed by dust from third parties' },
  },
  {
    rule: 'a sender’s dust counts when it has added up',
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
    rule: 'what leaves a Safe is a release only if 99 percent of it reached the split',
    file: 'shared/domain/escrow-end.ts',
    take: 'return reached * 100n >= left * NEARLY_ALL_PERCENT',
    put: 'return reached > 0n',
    test: { file: END, title: 'a little less of what left reached the split' },
  },
  {
    rule: 'an order of the releaser ends the escrow as it says, whatever else has left',
    file: 'shared/domain/escrow-end.ts',
    take: '  if (ordered) return { action: ordered, byEndpoint: true }\n',
    put: '',
    test: { file: ENDS, title: 'completes by the order for the rest after an on-chain refund of 20 percent' },
  },
  {
    rule: 'an order is done only if paid where it was ordered',
    file: 'shared/db/escrow/executed-orders.ts',
    take: ' and bool_or(t.recipient = o.destination)',
    put: '',
    test: { file: ENDS, title: 'is not an order whose amount went to another account' },
  },
  {
    rule: 'an order is done by its whole amount',
    file: 'shared/db/escrow/executed-orders.ts',
    take: 'sum(t.amount_atomic) = o.amount_atomic and ',
    put: '',
    test: { file: ENDS, title: 'is not an order with a different withdrawn amount' },
  },
  {
    rule: 'what left a Safe before an order was made does not execute it',
    file: 'shared/db/escrow/executed-orders.ts',
    take: 'min(t.block_number) > coalesce(o.after_block, -1)',
    put: 'true',
    test: {
      file: WORKER,
      title: 'does not confuse the order with an earlier transfer of the same amount',
    },
  },
  {
    rule: 'an order that ended no escrow is open until the ledger has what it moved, and no longer',
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
    rule: 'a shortage in a Safe holds no end',
    file: 'indexer/escrow/check-escrow-ends.ts',
    take: 'differences.filter(isExcess)',
    put: 'differences.filter((one) => isExcess(one) || !isExcess(one))',
    test: { file: ENDS, title: 'does not wait for a shortage' },
  },
  {
    rule: 'an unreadable balance holds an end for a minute, and no longer',
    file: 'shared/db/escrow/daemon/escrow-end-checks.ts',
    take: 'UNREAD_WAIT_SECONDS = 60',
    put: 'UNREAD_WAIT_SECONDS = 600',
    test: { file: ENDS, title: 'waits a minute, and no longer, for an unreadable balance' },
  },
  {
    rule: 'of a released escrow what had reached the split settles, and nothing waits for the rest',
    file: 'indexer/payouts/update-ledgers.ts',
    take: 'isDecided ? smaller(ledger.settlingAtomic, payable) : payable',
    put: 'isDecided ? ledger.settlingAtomic : payable',
    test: { file: ESCROW, title: 'is settled by what had reached the split, whatever remains' },
  },
  {
    rule: 'what arrives in a Safe after the end decides no settlement',
    file: 'indexer/charges/decide-charge.ts',
    take: ' && !hasEnded(value)',
    put: '',
    test: { file: ESCROW, title: 'does not wait for what arrives in the Safe after the release' },
  },
  {
    rule: 'whatever reaches a split is paid out, and ends nothing',
    file: 'indexer/charges/decide-charge.ts',
    take: 'isIntoSplit ? [SPLIT_REACHED] : []',
    put: 'isIntoSplit ? [] : []',
    test: { file: ESCROW, title: 'pays out what is sent into the split after a refund' },
  },
  {
    rule: 'dust in a second pair does not close the endpoints, nor does it turn a refund away',
    file: 'shared/db/escrow/escrow-facts.ts',
    take: 'where is_dust = is_only_dust',
    put: 'where is_dust or not is_dust',
    test: { file: ORDERS, title: 'a refund goes to the last payer and shows the transfer' },
  },
  {
    rule: 'dust counts where there is nothing else',
    file: 'shared/db/escrow/escrow-facts.ts',
    take: 'where is_dust = is_only_dust',
    put: 'where not is_dust',
    test: { file: ORDERS, title: 'a refund of an escrow with only dust goes to the last sender' },
  },
  {
    rule: 'an order leaves no more than dust in the Safe',
    file: 'shared/domain/escrow-order.ts',
    take: 'restAtomic >= 0n && amountAtomic > 0n && isAccepted',
    put: 'restAtomic >= 0n && amountAtomic > 0n',
    test: { file: ORDERS, title: 'is rejected for an amount above the balance' },
  },
  {
    rule: 'an order takes no more than the balance',
    file: 'shared/domain/escrow-order.ts',
    take: 'restAtomic >= 0n && amountAtomic > 0n && isAccepted',
    put: 'amountAtomic > 0n && isAccepted',
    test: { file: ORDERS, title: 'is rejected for an amount above the balance' },
  },
  {
    rule: 'the daemon executes the amount that was signed, and not the balance of a moment later',
    file: 'api/charges/escrow/submit-escrow-order.ts',
    take: 'signature, amountAtomic: String(amountAtomic) }',
    put: 'signature, amountAtomic: amountAtomic > 0n ? null : null }',
    test: { file: ORDERS, title: 'is accepted with the signed amount after a third party’s dust arrived' },
  },
  {
    rule: 'dust alone ends no simulated escrow',
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
