import type { Mutant } from '../mutant.ts'

const ESCROW = 'test/unit/charges/escrow-charge.test.ts'
const END = 'test/unit/domain/escrow-end.test.ts'
const LAWS = 'test/property/escrow-end.test.ts'
const ENDS = 'test/integration/escrow/escrow-ends.test.ts'
const WORKER = 'test/integration/escrow/escrow-worker.test.ts'
const ORDERS = 'test/integration/api/escrow-orders.test.ts'
const PAGE = 'test/integration/api/escrow-page.test.ts'
const PAGE_UNIT = 'test/unit/checkout/escrow-page.test.ts'
const PAGE_BROWSER = 'test/browser/escrow.test.ts'
const SIMULATED = 'test/integration/charges/simulated-escrow.test.ts'

/**
 * Who may order a release or refund, when and how an escrow ends, which decisions ignore dust, what an order may leave
 * in the Safe, and what the page of an escrow shows.
 */
export const ESCROW_RULES: readonly Mutant[] = [
  {
    rule: 'an escrow ends when nearly all of its credits have left, not at the first transfer',
    at: 'shared/domain/escrow-end.ts#endAt',
    take: 'if (sums.left * 100n < sums.credited * NEARLY_ALL_PERCENT) return null',
    put: '',
    test: { file: ENDS, title: 'is not caused by the release or refund of a cent, but by the release' },
  },
  {
    rule: 'nearly all of the credits means at least 99 percent of them',
    at: 'shared/domain/escrow-end.ts#NEARLY_ALL_PERCENT',
    take: 'NEARLY_ALL_PERCENT = 99n',
    put: 'NEARLY_ALL_PERCENT = 98n',
    test: { file: END, title: 'a little less than 99 percent left' },
  },
  {
    rule: 'transfers out of a Safe are summed over all transactions',
    at: 'shared/domain/escrow-end.ts#addUp',
    take: 'left: sums.left + left,',
    put: 'left,',
    test: { file: END, title: 'the balance reached the split in two steps' },
  },
  {
    rule: 'an escrow with only dust credited does not end',
    at: 'shared/domain/escrow-end.ts#endAt',
    take: 'movements.length === 0 || sums.credited === 0n',
    put: 'movements.length === 0',
    test: { file: ENDS, title: 'is not reached by an order that moved only dust, but by the' },
  },
  {
    rule: 'dust is not part of the credited amount of an escrow',
    at: 'shared/domain/escrow-end.ts#withoutDust',
    take: 'return { timestamp, amountAtto: 0n }',
    put: 'return { timestamp, amountAtto }',
    test: { file: LAWS, title: 'is not changed by dust from third parties' },
  },
  {
    rule: 'the dust of one sender counts once the sum is no longer dust',
    at: 'shared/domain/escrow-end.ts#withoutDust',
    take: 'amountAtto: isFirst ? before + amountAtto : amountAtto',
    put: 'amountAtto',
    test: { file: END, title: 'one sender’s dust added up to 1 percent, and only a part of it left' },
  },
  {
    rule: 'dust is below 1 percent of the charge',
    at: 'shared/domain/escrow-end.ts#DUST_PERCENT',
    take: 'DUST_PERCENT = 1n',
    put: 'DUST_PERCENT = 2n',
    test: { file: END, title: 'returns true only below 1 percent of the charge’s amount' },
  },
  {
    rule: 'a transfer out of a Safe is a release only if 99 percent reached the split',
    at: 'shared/domain/escrow-end.ts#isRelease',
    take: 'return reached * 100n >= left * NEARLY_ALL_PERCENT',
    put: 'return reached > 0n',
    test: { file: END, title: 'a little less than 99 percent of the outgoing amount reached the split' },
  },
  {
    rule: 'a releaser’s order decides how the escrow ends, regardless of other transfers',
    at: 'shared/domain/escrow-end.ts#endAt',
    take: 'if (ordered) return { action: ordered, byEndpoint: true }',
    put: '',
    test: { file: ENDS, title: 'is completed by the order for the remaining amount after an on-chain' },
  },
  {
    rule: 'an order counts as executed only if its destination was paid',
    at: 'shared/db/escrow/executed-orders.ts#doesTheOrder',
    take: 'and bool_or(t.recipient = o.destination)',
    put: '',
    test: { file: ENDS, title: 'is a refund, not the ordered release, if the amount went to' },
  },
  {
    rule: 'an order counts as executed only if its whole amount was moved',
    at: 'shared/db/escrow/executed-orders.ts#doesTheOrder',
    take: 'sum(t.amount_atomic) = o.amount_atomic and',
    put: '',
    test: { file: ENDS, title: 'is not reached by an order if the withdrawn amount differs' },
  },
  {
    rule: 'a transfer before an order was created does not execute it',
    at: 'shared/db/escrow/executed-orders.ts#doesTheOrder',
    take: 'min(t.block_number) > coalesce(o.after_block, -1)',
    put: 'true',
    test: { file: WORKER, title: 'does not confuse the order with an earlier transfer of the same amount' },
  },
  {
    rule: 'an order that did not end its escrow stays open until the ledger has its transfer',
    at: 'shared/db/escrow/executed-orders.ts#isOrderOpen',
    take: 'and t.applied_at is not null',
    put: 'and false',
    test: { file: ORDERS, title: 'is rejected after another order is mined, until the ledger' },
  },
  {
    rule: 'an escrow that ends on chain waits until the Safe’s balances are compared',
    at: 'indexer/charges/end-escrows.ts#findEndedEscrows',
    take: '!waiting.has(chargeId)',
    put: 'waiting !== undefined || chargeId',
    test: { file: ENDS, title: 'waits, with an alert, while the Safe holds more than our rows explain' },
  },
  {
    rule: 'a row that no quorum has shown does not explain an excess in a Safe',
    at: 'indexer/escrow/check-escrow-ends.ts#createEndChecking',
    take: 'block, isStrict: true }',
    put: 'block, isStrict: false }',
    test: { file: ENDS, title: 'waits while the only row that explains the Safe’s balance' },
  },
  {
    rule: 'a shortage in a Safe does not delay the end of its escrow',
    at: 'indexer/escrow/check-escrow-ends.ts#createEndChecking',
    take: 'differences.filter(isExcess)',
    put: 'differences.filter((one) => isExcess(one) || !isExcess(one))',
    test: { file: ENDS, title: 'does not wait if the Safe holds less than our' },
  },
  {
    rule: 'a Safe counts as checked only if each of its balances was read',
    at: 'indexer/escrow/check-escrow-ends.ts#createEndChecking',
    take: 'unread.some((balance) => isOf(balance, check))',
    put: 'unread.length < 0',
    test: { file: ENDS, title: 'waits at most a minute if one of several balances' },
  },
  {
    rule: 'an excess that is gone no longer blocks the end of an escrow, even if another balance is unreadable',
    at: 'indexer/escrow/check-escrow-ends.ts#createEndChecking',
    take: '&& !check.isHeld',
    put: '',
    test: { file: ENDS, title: 'waits a minute for an unreadable balance once the excess' },
  },
  {
    rule: 'an unreadable balance delays the end of an escrow for at most one minute',
    at: 'shared/db/escrow/daemon/escrow-end-checks.ts#UNREAD_WAIT_SECONDS',
    take: 'UNREAD_WAIT_SECONDS = 60',
    put: 'UNREAD_WAIT_SECONDS = 600',
    test: { file: ENDS, title: 'waits at most a minute for an unreadable balance' },
  },
  {
    rule: 'a released escrow settles, even if no settling amount has reached the split',
    at: 'indexer/payouts/update-ledgers.ts#settleReleased',
    take: 'smaller(ledger.settlementAtomic, payableOf(ledger)) > 0n',
    put: 'ledger.settlementAtomic > 0n',
    test: {
      file: ESCROW,
      title: 'is settled by the amount that reached the split, even if the only payment in time',
    },
  },
  {
    rule: 'only the amount that has reached the split settles a released escrow',
    at: 'indexer/payouts/update-ledgers.ts#settleReleased',
    take: 'isDecided ? smaller(ledger.settlementAtomic, payable) : payable',
    put: 'isDecided ? ledger.settlementAtomic : payable',
    test: {
      file: ESCROW,
      title: 'is settled by the amount that reached the split, even if the Safe held more',
    },
  },
  {
    rule: 'money that arrives in a Safe after the escrow has ended does not affect the settlement',
    at: 'indexer/charges/decide-charge.ts#decideCredits',
    take: '&& !hasEnded(value)',
    put: '',
    test: { file: ESCROW, title: 'is settled without payments that arrive in the Safe after the release' },
  },
  {
    rule: 'a charge whose status is open is not settled',
    at: 'indexer/charges/decide-charge.ts#decideSettlement',
    take: '!isOpen({ status }) && isSettled(settled)',
    put: 'isSettled(settled)',
    test: {
      file: ESCROW,
      title: 'is not settled while its status is pending, and is settled at its expiry',
    },
  },
  {
    rule: 'late money that was distributed before the end of its escrow settles the charge',
    at: 'indexer/charges/decide-charge.ts#decideSettlement',
    take: 'isOpen(mail.charge) || isReleasedNow ? []',
    put: 'isOpen(mail.charge) ? []',
    test: {
      file: ESCROW,
      title: 'is settled at a release after its deadline if the released amount is already',
    },
  },
  {
    rule: 'money that reaches the split is paid out, and does not end the escrow',
    at: 'indexer/charges/decide-charge.ts#decideCharge',
    take: 'isIntoSplit ? [SPLIT_REACHED] : []',
    put: 'isIntoSplit ? [] : []',
    test: { file: ESCROW, title: 'pays out a transfer into the split after a refund' },
  },
  {
    rule: 'dust in a second pair neither closes the endpoints nor redirects a refund',
    at: 'shared/db/escrow/escrow-facts.ts#findEscrowFacts',
    take: 'where is_dust = is_only_dust',
    put: 'where is_dust or not is_dust',
    test: { file: ORDERS, title: 'refund the last payer, and show that payment' },
  },
  {
    rule: 'dust counts if no other credit exists',
    at: 'shared/db/escrow/escrow-facts.ts#findEscrowFacts',
    take: 'where is_dust = is_only_dust',
    put: 'where not is_dust',
    test: { file: ORDERS, title: 'refund an escrow with only dust to the last sender' },
  },
  {
    rule: 'a payment that is not credited yet is not refunded to a sender of dust',
    at: 'shared/domain/escrow-order.ts#draftEscrowTransaction',
    take: "if (action === 'refund') requireOnlyDust(escrow, safe)",
    put: '',
    test: { file: ORDERS, title: 'do not refund a payment that is not credited yet to the sender of' },
  },
  {
    rule: 'an order leaves at most dust in the Safe',
    at: 'shared/domain/escrow-order.ts#requireNearlyAll',
    take: 'restAtomic >= 0n && amountAtomic > 0n && isAccepted',
    put: 'restAtomic >= 0n && amountAtomic > 0n',
    test: { file: ORDERS, title: 'is rejected for an amount above the balance' },
  },
  {
    rule: 'an order moves at most the balance of the Safe',
    at: 'shared/domain/escrow-order.ts#requireNearlyAll',
    take: 'restAtomic >= 0n && amountAtomic > 0n && isAccepted',
    put: 'amountAtomic > 0n && isAccepted',
    test: { file: ORDERS, title: 'is rejected for an amount above the balance' },
  },
  {
    rule: 'the daemon executes the signed amount, not a later balance',
    at: 'api/charges/escrow/submit-escrow-order.ts#submitEscrowOrder',
    take: 'signature, amountAtomic: String(amountAtomic) }',
    put: 'signature, amountAtomic: amountAtomic > 0n ? null : null }',
    test: { file: ORDERS, title: 'is accepted, and sent to the daemon with the signed amount' },
  },
  {
    rule: 'dust does not end a simulated escrow',
    at: 'shared/domain/escrow-order.ts#requirePaidEscrow',
    take: 'facts.simulatedSafe !== null && facts.onlyDustAtto !== null',
    put: 'facts.simulatedSafe !== null && facts.paidPairs < 0',
    test: { file: SIMULATED, title: 'ignores dust on a second pair, is not refunded to the' },
  },
  {
    rule: 'an order without an API key is verified before it is counted or reaches the daemon',
    at: 'api/charges/escrow/submit-order-once.ts#submitOrderOnce',
    take: 'await verifyEscrowSignature(transaction, { releaser, signature: order.signature })',
    put: 'void verifyEscrowSignature; void transaction; void releaser',
    test: { file: PAGE, title: 'does not count invalid signatures towards the releaser’s limit' },
  },
  {
    rule: 'the API verifies an order against the current state of the chain before it writes a request',
    at: 'api/charges/escrow/submit-escrow-order.ts#submitEscrowOrder',
    take: 'await verifyEscrowSignature(transaction, { releaser, signature })',
    put: 'void verifyEscrowSignature; void releaser',
    test: { file: ORDERS, title: 'requires the releaser’s signature' },
  },
  {
    rule: 'only the releaser’s signature is accepted',
    at: 'shared/domain/escrow-order.ts#verifyEscrowSignature',
    take: '=== signed.releaser) return signature',
    put: '!== null) return signature',
    test: { file: PAGE, title: 'is rejected if anyone but the releaser signed it' },
  },
  {
    rule: 'an order without an API key counts against the limit of its IP address',
    at: 'api/checkout/escrow/serve-escrow.ts#orderEscrow',
    take: 'await limitOrders(ctx, deps)',
    put: 'void limitOrders',
    test: { file: PAGE, title: 'limits each IP address to ten orders a minute' },
  },
  {
    rule: 'visitors of an escrow’s page share one read of the chain',
    at: 'api/checkout/escrow/read-escrow-briefly.ts#createReadEscrow',
    take: 'if (known !== undefined) return known',
    put: '',
    test: {
      file: PAGE,
      title:
        'reads the chain at most once in 5 s, regardless of the number of visitors and invalid signatures',
    },
  },
  {
    rule: 'the page of an escrow is never framed, even by the merchant’s site',
    at: 'api/checkout/serve-checkout.ts#handleRequest',
    take: 'if (!resource.isNeverFramed) ctx.set',
    put: 'ctx.set',
    test: {
      file: PAGE,
      title: 'cannot be framed by any site, including the merchant’s, and neither can its error pages',
    },
  },
  {
    rule: 'browsers that do not support frame-ancestors do not frame the page of an escrow either',
    at: 'api/checkout/serve-checkout.ts#serveCheckout',
    take: '(resource.isNeverFramed ? NEVER_FRAMED : {})',
    put: '(resource.isNeverFramed ? {} : {})',
    test: {
      file: PAGE,
      title: 'cannot be framed by any site, including the merchant’s, and neither can its error pages',
    },
  },
  {
    rule: 'the page of an escrow shows recipients only if the signed address commits to them',
    at: 'api/checkout/escrow/view-escrow.ts#viewEscrow',
    take: "if (findAddressProblem(charge) !== null) return { state: 'blocked' }",
    put: '',
    test: {
      file: PAGE_UNIT,
      title: 'contains nothing to sign if the addresses do not match the charge’s recipients or releaser',
    },
  },
  {
    rule: 'the page of an escrow lets only the releaser’s account sign',
    at: 'api/checkout/browser/sign-order.ts#signAndSubmit',
    take: 'if (from.toLowerCase() !== escrow.releaser.toLowerCase())',
    put: "if (from === '')",
    test: { file: PAGE_BROWSER, title: 'does not let any account except the releaser’s sign' },
  },
  {
    rule: 'the page of an escrow shows what is signed before the wallet is asked to sign it',
    at: 'api/checkout/browser/sign-order.ts#signAndSubmit',
    take: 'await untilAgreed((goOn) =>',
    put: 'void untilAgreed((goOn) =>',
    test: { file: PAGE_BROWSER, title: 'requests the releaser’s signature for the shown' },
  },
  {
    rule: 'the page of an escrow warns if a refund would send its recipient more than they paid',
    at: 'api/checkout/escrow/view-escrow.ts#presentHeld',
    take: 'isPart: amountAtomic < balanceAtomic',
    put: 'isPart: amountAtomic > balanceAtomic',
    test: {
      file: PAGE_UNIT,
      title: 'warns if a refund would send the money of other payers to the last sender',
    },
  },
  {
    rule: 'the page of an escrow offers the release while a refund is refused',
    at: 'api/checkout/escrow/view-escrow.ts#unlessEmpty',
    take: "if (error instanceof AppError && error.code === 'escrow_empty') return null",
    put: '',
    test: {
      file: PAGE_UNIT,
      title: 'shows only the release while a refund would send an uncredited payment to a sender of dust',
    },
  },
  {
    rule: 'the same order is executed once, even if it is sent several times',
    at: 'api/charges/escrow/submit-order-once.ts#followSameOrder',
    take: 'if (id === null) return false',
    put: "if (id === null || id !== '') return false",
    test: {
      file: PAGE,
      title: 'is executed only once if it is sent several times, before and after it is mined',
    },
  },
  {
    rule: 'a payment of a Safe to itself does not change a balance',
    at: 'shared/db/chain-facts/daemon/expected-balances.ts#listExpectedBalances',
    take: 'and r.sender is distinct from c.address',
    put: '',
    test: {
      file: 'test/integration/escrow/escrow-on-chain.test.ts',
      title: 'leaves the expected balances unchanged',
    },
  },
]
