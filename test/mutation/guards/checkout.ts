import type { Mutant } from '../mutant.ts'

const SHOWN = 'shows the amount, the address and its QR code for the chosen pair'
const ASKS_NOTHING = 'contains neither an address nor an amount to send when'

const projecting = (title: string) => ({ file: 'test/unit/checkout/project.test.ts', title })
const rendering = (title: string) => ({ file: 'test/unit/checkout/render-checkout.test.ts', title })
const inBrowser = (title: string) => ({ file: 'test/browser/script.test.ts', title })
const inTabs = (title: string) => ({ file: 'test/browser/tabs.test.ts', title })

/** Rules for the payment that the checkout requests: its amount, its destination, and when none is requested. */
export const CHECKOUT_RULES: readonly Mutant[] = [
  {
    rule: 'a payer is not asked again for an amount that was already detected',
    at: 'shared/domain/amount-due.ts#getAmountDue',
    take: '- seenAtto',
    put: '- (seenAtto - seenAtto)',
    test: {
      file: 'test/property/amount-asked.test.ts',
      title:
        'is the charge’s amount minus the received and seen amounts, rounded up to a token unit, and no amount is requested once this difference is zero',
    },
  },
  {
    rule: 'no payment is requested while a payment by signature is in flight',
    at: 'shared/domain/amount-due.ts#findAmountAsked',
    take: '&& !isSignatureInFlight',
    put: '',
    test: projecting(ASKS_NOTHING),
  },
  {
    rule: 'a submitted payment by signature counts as in flight before the daemon has accepted it',
    at: 'shared/db/pay-by-signature/in-flight.ts#inFlightAuthorization',
    take: "r.kind = 'authorization'",
    put: "r.kind = 'check'",
    test: {
      file: 'test/integration/api/checkout-reads.test.ts',
      title:
        'request no payment while a payment by signature is in flight, and the whole amount within 3 s of its end',
    },
  },
  {
    rule: 'an open page is updated when a payment by signature starts and when it ends',
    at: 'api/streams/page-feed.ts#createPageFeed',
    take: 'listInFlightAuthorizations(sql, [...followers.keys()])',
    put: 'listInFlightAuthorizations(sql, [])',
    test: { file: 'test/integration/api/page-model.test.ts', title: 'request exactly the charge’s amount' },
  },
  {
    rule: 'an open page is updated when a pair is closed or reopened',
    at: 'api/streams/page-feed.ts#createPageFeed',
    take: 'if (pairs.length > 0) {',
    put: 'if (pairs.length > followers.size) {',
    test: { file: 'test/integration/api/page-model.test.ts', title: 'request exactly the charge’s amount' },
  },
  {
    rule: 'changed pages that one turn does not refresh are refreshed in a later turn',
    at: 'api/streams/page-feed.ts#createPageFeed',
    take: 'const due = [...changed].slice(0, PAGES_PER_TURN)',
    put: 'const due = [...changed].slice(0, PAGES_PER_TURN); for (const id of changed) if (!due.includes(id)) changed.delete(id)',
    test: {
      file: 'test/integration/api/page-feed.test.ts',
      title: 'send to at most 200 pages per refresh, until every page is up to date',
    },
  },
  {
    rule: 'a page reads the pending amount and the late transfers in one snapshot',
    at: 'api/checkout/read-checkout.ts#readFacts',
    take: 'return inSnapshot(sql, async (db) => {',
    put: 'return inSnapshot(sql, async (_snapshot) => { const db = sql',
    test: {
      file: 'test/integration/api/checkout.test.ts',
      title: 'does not show a late payment as in time',
    },
  },
  {
    rule: 'the error page of an unknown merchant cannot be framed',
    at: 'api/checkout/serve-checkout.ts#serveCheckout',
    take: 'pageHeaders([])',
    put: 'pageHeaders(deps.config.checkoutFrameOrigins)',
    test: {
      file: 'test/integration/api/checkout.test.ts',
      title: 'is limited per address and, after the first ten reads',
    },
  },
  {
    rule: 'the QR code that a merchant fetches with an API key does not request an amount that was already detected',
    at: 'api/charges/qrcode/render-payment.ts#renderPaymentQrCode',
    take: 'requireAmountAsked(current, current.readAt)',
    put: 'requireAmountAsked({ ...current, seenAtto: current.onTimeAtto }, current.readAt)',
    test: {
      file: 'test/integration/api/qrcode.test.ts',
      title:
        'subtracts an unconfirmed partial payment from the amount, and requests no payment once the rest is detected',
    },
  },
  {
    rule: 'no swap is quoted for an amount that was already detected',
    at: 'api/charges/quote/plan-quote.ts#planQuote',
    take: 'requireAmountAsked(current, now)',
    put: 'requireAmountAsked({ ...current, seenAtto: current.onTimeAtto }, now)',
    test: {
      file: 'test/integration/swap/quote.test.ts',
      title:
        'buys the amount that the page requests after an unconfirmed partial payment, and is rejected after the rest is detected',
    },
  },
  {
    rule: 'a page that shows an excess stays open',
    at: 'api/checkout/browser/redirect.ts#redirectToMerchant',
    take: 'if (excess !== null) return',
    put: '',
    test: inBrowser('it does not redirect after an overpayment'),
  },
  {
    rule: 'the wallet is not asked to pay an amount that is no longer due',
    at: 'api/checkout/browser/pay.ts#isStillDue',
    take: '&& remainingAfterSeen === before.checkout.remainingAfterSeen',
    put: '&& remainingAfterSeen !== before.checkout.id',
    test: inBrowser(
      'it sends nothing if a part is seen while the wallet dialog is open, because the amount due has changed',
    ),
  },
  {
    rule: 'the wallet is not asked to pay on a pair that was closed in the meantime',
    at: 'api/checkout/browser/pay.ts#isStillDue',
    take: 'isOpen &&',
    put: '(isOpen || howToPay !== null) &&',
    test: inBrowser('it sends nothing if the pair is paused while the wallet dialog is open'),
  },
  {
    rule: 'the page does not request a payment after the deadline',
    at: 'shared/domain/amount-due.ts#findAmountAsked',
    take: '&& charge.expiresAt > now',
    put: '',
    test: projecting(ASKS_NOTHING),
  },
  {
    rule: 'the page does not request a payment while no pair is available',
    at: 'api/checkout/choose-screen.ts#chooseScreen',
    take: "if (paymentUnavailable) return 'unavailable'",
    put: '',
    test: projecting(ASKS_NOTHING),
  },
  {
    rule: 'the page contains an address only while the charge can be paid',
    at: 'api/checkout/project.ts#projectState',
    take: 'howToPay: isPayable ?',
    put: 'howToPay: current.seenAtto >= 0n ?',
    test: projecting(ASKS_NOTHING),
  },
  {
    rule: 'the page offers a swap only while an amount is due',
    at: 'api/checkout/project.ts#projectState',
    take: 'swapAlternatives: isPayable',
    put: 'swapAlternatives: screen.length > 0',
    test: projecting(ASKS_NOTHING),
  },
  {
    rule: 'the page requests the amount due, not the whole amount',
    at: 'api/checkout/project.ts#listPayable',
    take: 'listPaymentOptions(charge, { askedAtto, ...current })',
    put: 'listPaymentOptions(charge, { ...current, askedAtto: askedAtto && microToAtto(charge.amountMicro) })',
    test: projecting('requests the remaining amount on each pair, rounded up to the token’s smallest unit'),
  },
  {
    rule: 'no payment is requested on a paused or stale pair',
    at: 'shared/domain/payment-options.ts#listPaymentOptions',
    take: '&& !unavailablePayments.includes(key)',
    put: '',
    test: projecting('requests no payment on an unavailable pair, and the whole amount on the other pairs'),
  },
  {
    rule: 'an expired charge is shown as paid late, not as unpaid, if at least half of its amount arrived late',
    at: 'api/checkout/choose-screen.ts#chooseScreen',
    take: "isSubjectAmount(facts.lateAtto, getTarget(facts)) ? 'late' : 'expired'",
    put: "'expired'",
    test: projecting(
      'reports an expired charge as paid late only if at least half of its amount arrived late',
    ),
  },
  {
    rule: 'late money is not shown as seen in time',
    at: 'api/checkout/choose-screen.ts#chooseScreen',
    take: 'getTotal(facts) - facts.lateAtto >=',
    put: 'getTotal(facts) >=',
    test: projecting('does not show the screen `seen` for a payment after the deadline'),
  },
  {
    rule: 'a payer’s wallet sends to the address of the charge',
    at: 'api/checkout/list-payments.ts#listPayments',
    take: 'data: encodeTransfer(recipient, amountAtomic)',
    put: 'data: encodeTransfer(tokenAddress, amountAtomic)',
    test: projecting('gives wallets exactly the shown amount and address'),
  },
  {
    rule: 'the QR code of a whole payment pays the address of the charge',
    at: 'api/checkout/list-payments.ts#listPayments',
    take: 'tokenAddress, decimals, recipient, amountAtomic })',
    put: 'tokenAddress, decimals, recipient: tokenAddress, amountAtomic })',
    test: projecting('gives wallets exactly the shown amount and address'),
  },
  {
    rule: 'a transfer counts as seen until it is credited or orphaned',
    at: 'shared/db/chain-facts/seen-amount.ts#isSeen',
    take: "t.inclusion <> 'orphaned'",
    put: "t.inclusion = 'included'",
    test: {
      file: 'test/integration/api/checkout-reads.test.ts',
      title: 'request the remaining amount after a',
    },
  },
  {
    rule: 'a tiny transfer does not change the screen of the page',
    at: 'api/checkout/project.ts#findWrongPayment',
    take: 'isSubject ? presentTransfer',
    put: 'largest ? presentTransfer',
    test: projecting('shows a rejected transfer of at least half of the amount due as a wrong payment'),
  },
  {
    rule: 'a transfer from the charge’s own split or escrow is not shown as a payment on its page',
    at: 'shared/db/chain-facts/page-transfers.ts#isRefused',
    take: "t.rejection_reason = 'pair_not_accepted' and",
    put: 'not t.accepted and',
    test: {
      file: 'test/integration/api/checkout-reads.test.ts',
      title: 'immediately show a payment on a pair that is not accepted, but no transfer from the',
    },
  },
  {
    rule: 'the page shows the address of the charge',
    at: 'api/checkout/render-transfer-details.ts#renderTransferDetails',
    take: 'renderAddress(howToPay.address,',
    put: 'renderAddress(payment.tokenAddress,',
    test: rendering(SHOWN),
  },
  {
    rule: 'the page shows the amount in the token’s own units',
    at: 'api/checkout/render-transfer-details.ts#renderAmount',
    take: 'padFraction(payment.amount)',
    put: 'padFraction(payment.amountAtomic)',
    test: rendering(SHOWN),
  },
  {
    rule: 'an amount that is sent from an exchange cannot be copied, because the exchange would deduct its fee',
    at: 'api/checkout/render-transfer-details.ts#renderAmount',
    take: "if (choice.way === 'exchange') return null",
    put: '',
    test: rendering('offers no amount to copy for a withdrawal from an exchange, which would deduct its fee'),
  },
  {
    rule: 'a payment on a closed pair is not called lost, because it still counts',
    at: 'api/checkout/render-transfer-details.ts#renderOnly',
    take: "unavailablePayments.length === 0 ? 'pay.only' : 'pay.onlyNow'",
    put: "'pay.only'",
    test: rendering('does not say that a payment on an unavailable pair is lost, because it still counts'),
  },
  {
    rule: 'a charge whose escrow was refunded is not called paid',
    at: 'api/checkout/render-outcome.ts#renderExcess',
    take: "checkout.escrowEnd !== 'refunded'",
    put: 'true',
    test: rendering(
      'tells a payer who sent too much that they need not pay again, unless the escrow was refunded',
    ),
  },
  {
    rule: 'the shown QR code contains the address',
    at: 'api/checkout/render-scan.ts#renderAddressCode',
    take: 'renderCode(address,',
    put: "renderCode(address.replace(/.$/, '0'),",
    test: rendering(SHOWN),
  },
  {
    rule: 'a payment that a wallet has sent hides the payment instructions',
    at: 'api/checkout/browser/show-submitted.ts#showSubmitted',
    take: 'if (how) how.hidden = sent !== null',
    put: 'void how',
    test: inBrowser(
      'it does not request a second payment, even after a reload, until the payer reports a failure',
    ),
  },
  {
    rule: 'a payment is recorded in the browser before the wallet is asked to send it',
    at: 'api/checkout/browser/submitted-payments.ts#saveSubmitting',
    take: 'saveSubmitted(id, submitting)',
    put: '',
    test: inBrowser('it does not request a second payment if it is reloaded before the wallet responds'),
  },
  {
    rule: 'no wallet request is made while the current state cannot be read',
    at: 'api/checkout/browser/pay.ts#createPaymentSession',
    take: 'if (!(await refresh())) return',
    put: 'if (!(await refresh()) && isBusy === null) return',
    test: inBrowser('it sends nothing while it cannot read the current state'),
  },
  {
    rule: 'no wallet request is made if the amount has arrived in the meantime',
    at: 'api/checkout/browser/pay.ts#createPaymentSession',
    take: 'if (!isStillDue(data, current(), payment)) return showMessage()',
    put: '',
    test: inBrowser(
      'it sends nothing if a part arrives while the wallet dialog is open, because the remaining amount has changed',
    ),
  },
  {
    rule: 'a wallet sends only on the chosen network',
    at: 'api/checkout/browser/call-wallet.ts#switchChain',
    take: "if (!(await isOnChain())) throw new WalletError('script.noNetwork', { network })",
    put: '',
    test: inBrowser('it sends nothing if the wallet reports a switch but is still on another network'),
  },
  {
    rule: 'a wallet sends from the connected account',
    at: 'api/checkout/browser/call-wallet.ts#send',
    take: 'if (accounts[0]?.toLowerCase() !== from.toLowerCase())',
    put: 'if (accounts.length < 0)',
    test: inBrowser('it sends nothing from an account that the payer did not choose'),
  },
  {
    rule: 'a page shows that it is not live until its stream sends an event again',
    at: 'api/checkout/browser/refresh-page.ts#startPageRefresh',
    take: 'setLost(isStreamLost || !isLoaded)',
    put: 'setLost(!isLoaded)',
    test: inBrowser(
      'it keeps the notice about live updates while it polls, until its stream sends an event again',
    ),
  },
  {
    rule: 'the page of an expired charge shows late payments',
    at: 'api/checkout/read-pages.ts#buildPageState',
    take: '&& !canBeLate',
    put: '',
    test: {
      file: 'test/integration/api/checkout-reads.test.ts',
      title: 'send events of late payments until a day after',
    },
  },
  {
    rule: 'a wallet request waits for a page load that starts after the payer has clicked',
    at: 'api/checkout/browser/refresh-page.ts#startPageRefresh',
    take: 'next = null const begun = loadOrLose()',
    put: 'const begun = loadOrLose().finally(() => { next = null })',
    test: inBrowser(
      'it sends nothing based on an outdated page state that was requested before the wallet dialog opened',
    ),
  },
  {
    rule: 'a wallet sends only on the chain that was just verified',
    at: 'api/checkout/browser/call-wallet.ts#send',
    take: "Number(await callWallet(provider, 'eth_chainId')) !== chainId",
    put: 'chainId < 0',
    test: inBrowser('it sends nothing if the wallet leaves the chosen network before the request'),
  },
  {
    rule: 'a payment that might have been sent is not requested again',
    at: 'api/checkout/browser/call-wallet.ts#send',
    take: '!NOTHING_SENT.has(getErrorCode(error))',
    put: 'false',
    test: inBrowser(
      'it does not request a second payment after a wallet error that leaves the outcome unknown',
    ),
  },
  {
    rule: 'a partial payment by another sender does not delete the record of a pending payment',
    at: 'api/checkout/browser/submitted-payments.ts#isCredited',
    take: 'return isSame && amountReceived',
    put: 'return (isSame || txHash !== null) && amountReceived',
    test: inBrowser('it does not request the remaining amount while its own payment is pending'),
  },
  {
    rule: 'a payment that a wallet has sent is recorded for all tabs of the browser',
    at: 'api/checkout/browser/storage.ts#withStorage',
    take: 'use(localStorage)',
    put: 'use(globalThis.sessionStorage)',
    test: inTabs(
      'does not request a payment in any tab, even a new tab, after a payment was sent, until the payer reports a failure',
    ),
  },
  {
    rule: 'an open tab stops requesting a payment as soon as another tab makes a wallet request',
    at: 'api/checkout/browser/submitted-payments.ts#syncTabs',
    take: 'if (key !== toKey(chargeId)) return',
    put: 'if (key !== null) return',
    test: inTabs(
      'does not request the payment in the other tab while a wallet dialog is open, but does so after the payer has declined',
    ),
  },
  {
    rule: 'a payment whose record another tab has deleted is requested again only after a refresh',
    at: 'api/checkout/browser/submitted-payments.ts#syncTabs',
    take: 'if (!(await refresh()))',
    put: 'if (readStored(chargeId) !== null)',
    test: inTabs('does not request a payment in a tab without a connection'),
  },
  {
    rule: 'a payment whose record another tab has deleted is requested again once the service responds',
    at: 'api/checkout/browser/submitted-payments.ts#syncTabs',
    take: 'setTimeout(() => void deleteAfterRefresh(), RETRY_AFTER_MS)',
    put: 'void RETRY_AFTER_MS',
    test: inTabs(
      'does not request the payment in the other tab while a wallet dialog is open, but does so after the payer has declined',
    ),
  },
  {
    rule: 'no wallet request is made if another tab has sent a payment in the meantime',
    at: 'api/checkout/browser/pay.ts#createPaymentSession',
    take: 'if (findSubmitted(current()) !== null) return showMessage()',
    put: '',
    test: inTabs('sends nothing in one tab if the other tab has sent a payment'),
  },
  {
    rule: 'the record of one tab’s payment is not deleted when the payer declines in another tab',
    at: 'api/checkout/browser/submitted-payments.ts#saveSubmitting',
    take: 'if (isForOtherPage(readSent(id))) throw error',
    put: '',
    test: inTabs('keeps the payment of one tab when the payer declines an earlier request in the other tab'),
  },
  {
    rule: 'only one tab at a time makes a wallet request',
    at: 'api/checkout/browser/tab-lock.ts#withTabLock',
    take: "if (lock === null) throw new WalletError('script.pending')",
    put: '',
    test: inTabs(
      'does not send a request to a second wallet while a request is pending, even if the payer reports that no payment was sent',
    ),
  },
]
