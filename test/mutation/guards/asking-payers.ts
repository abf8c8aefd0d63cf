import type { Mutant } from '../mutant.ts'

const PROJECT = 'api/checkout/project.ts'
const PAYMENTS = 'api/checkout/list-payments.ts'
const SCREEN = 'api/checkout/choose-screen.ts'
const PAYMENT = 'api/checkout/render-payment.ts'
const PAY = 'api/checkout/browser/pay.ts'
const SENT = 'api/checkout/browser/submitted-payments.ts'
const ASK_WALLET = 'api/checkout/browser/call-wallet.ts'
const SHOWN = 'shows the amount, the address and its code for the chosen pair'
const ASKS_NOTHING = 'contains neither an address nor an amount to send when'

const projecting = (title: string) => ({ file: 'test/unit/checkout/project.test.ts', title })
const rendering = (title: string) => ({ file: 'test/unit/checkout/render-checkout.test.ts', title })
const inBrowser = (title: string) => ({ file: 'test/browser/script.test.ts', title })
const inTabs = (title: string) => ({ file: 'test/browser/tabs.test.ts', title })

/** Which payment the checkout requests, its destination, and when it requests none. */
export const ASKING_PAYERS_RULES: readonly Mutant[] = [
  {
    rule: 'a payer is not asked again for an amount that was seen',
    file: 'shared/domain/amount-due.ts',
    take: ' - seenAtto\n',
    put: ' - (seenAtto - seenAtto)\n',
    test: {
      file: 'test/property/amount-asked.test.ts',
      title: 'is exactly the amount due minus the amounts received and seen, and nothing once that is zero',
    },
  },
  {
    rule: 'no swap is offered for an amount of which a part was seen',
    file: PROJECT,
    take: ' && current.seenAtto === 0n',
    put: '',
    test: projecting(
      'requests only the rest while a part is on its way, and offers no swap, whose quote is for more',
    ),
  },
  {
    rule: 'a wallet is not asked for an amount that has changed since',
    file: PAY,
    take: ' && remainingAfterSeen === before.checkout.remainingAfterSeen',
    put: ' && remainingAfterSeen !== before.checkout.id',
    test: inBrowser(
      'it sends nothing if a part is seen while the wallet dialog is open, because the amount due has changed',
    ),
  },
  {
    rule: 'the page requests no payment after the deadline',
    file: SCREEN,
    take: 'charge.expiresAt <= now || ',
    put: '',
    test: projecting(ASKS_NOTHING),
  },
  {
    rule: 'the page requests no payment while payments cannot be monitored',
    file: SCREEN,
    take: "      if (paymentUnavailable) return 'unavailable'\n",
    put: '',
    test: projecting(ASKS_NOTHING),
  },
  {
    rule: 'the page contains an address only while the charge can be paid',
    file: PROJECT,
    take: 'howToPay: isPayable\n',
    put: 'howToPay: due >= 0n\n',
    test: projecting(ASKS_NOTHING),
  },
  {
    rule: 'the page offers a swap only while an amount is due',
    file: PROJECT,
    take: 'isPayable && current.seenAtto',
    put: 'due !== undefined && current.seenAtto',
    test: projecting(ASKS_NOTHING),
  },
  {
    rule: 'the page requests the amount due, not the whole amount',
    file: PROJECT,
    take: 'listPayments(current.charge, { due,',
    put: 'listPayments(current.charge, { due: microToAtto(current.charge.amountMicro),',
    test: projecting('requests the remaining amount on each pair, rounded up to the token’s smallest unit'),
  },
  {
    rule: 'a payer’s wallet sends to the address of the charge',
    file: PAYMENTS,
    take: 'data: encodeTransfer(recipient, amountAtomic)',
    put: 'data: encodeTransfer(tokenAddress, amountAtomic)',
    test: projecting('makes a wallet send exactly the shown amount to the shown address'),
  },
  {
    rule: 'the QR code of a whole payment pays the address of the charge',
    file: PAYMENTS,
    take: 'tokenAddress, decimals, recipient, amountAtomic })',
    put: 'tokenAddress, decimals, recipient: tokenAddress, amountAtomic })',
    test: projecting('makes a wallet send exactly the shown amount to the shown address'),
  },
  {
    rule: 'a transfer counts as seen until it is credited or has vanished',
    file: 'shared/db/chain-facts/seen-amount.ts',
    take: "t.presence <> 'vanished'",
    put: "t.presence = 'present'",
    test: {
      file: 'test/integration/api/checkout-reads.test.ts',
      title: 'request the rest of a payment that was seen in part, and the whole again once it has vanished',
    },
  },
  {
    rule: 'no tiny transfer takes over the page',
    file: PROJECT,
    take: 'isMeant ? presentTransfer',
    put: 'largest ? presentTransfer',
    test: projecting(
      'names the payment that does not count from half of the charge’s amount only, while it can be paid',
    ),
  },
  {
    rule: 'the own money of a charge is no payment of its page',
    file: 'shared/db/chain-facts/page-transfers.ts',
    take: " and t.refusal is distinct from 'own_money'",
    put: '',
    test: {
      file: 'test/integration/api/checkout-reads.test.ts',
      title: 'name a payment on a pair that is not accepted, at once, but not the charge’s own money',
    },
  },
  {
    rule: 'the page shows the address of the charge',
    file: PAYMENT,
    take: '<code data-copy>${address}</code>',
    put: '<code data-copy>${payment.tokenAddress}</code>',
    test: rendering(SHOWN),
  },
  {
    rule: 'the page shows the amount in the token’s own units',
    file: PAYMENT,
    take: '<code class="large" data-copy>${payment.amount}</code>',
    put: '<code class="large" data-copy>${payment.amountAtomic}</code>',
    test: rendering(SHOWN),
  },
  {
    rule: 'the shown QR code is that of the address',
    file: PAYMENT,
    take: 'renderQrCode(address)',
    put: "renderQrCode(address.replace(/.$/, '0'))",
    test: rendering(SHOWN),
  },
  {
    rule: 'a payment that a wallet has sent hides the payment instructions',
    file: 'api/checkout/browser/show-submitted.ts',
    take: '  if (how) how.hidden = sent !== null\n',
    put: '  void how\n',
    test: inBrowser('it requests no second payment, even after a reload, until the payer reports a failure'),
  },
  {
    rule: 'a payment is stored before the wallet is asked to send it',
    file: SENT,
    take: '  saveSubmitted(id, submitting)\n',
    put: '',
    test: inBrowser('it requests no second payment if it is reloaded before the wallet responds'),
  },
  {
    rule: 'a wallet request is not made while the current state cannot be read',
    file: PAY,
    take: 'if (!(await refresh())) return',
    put: 'if (!(await refresh()) && isBusy === null) return',
    test: inBrowser('it sends nothing while it cannot read the current state'),
  },
  {
    rule: 'a wallet request is not made if the amount has arrived in between',
    file: PAY,
    take: '        if (!isStillDue(data, current())) return showMessage()\n',
    put: '',
    test: inBrowser(
      'it sends nothing if a part arrives while the wallet dialog is open, because the remaining amount has changed',
    ),
  },
  {
    rule: 'a wallet sends only on the chosen network',
    file: ASK_WALLET,
    take: "  if (!(await isOnChain())) throw new WalletError('script.noNetwork', { network })\n",
    put: '',
    test: inBrowser('it sends nothing if the wallet reports a switch but is still on another network'),
  },
  {
    rule: 'a wallet sends from the connected account',
    file: ASK_WALLET,
    take: 'if (accounts[0]?.toLowerCase() !== from.toLowerCase())',
    put: 'if (accounts.length < 0)',
    test: inBrowser('it sends nothing from an account that the payer did not choose'),
  },
  {
    rule: 'a page shows that it is not live until its stream sends an event again',
    file: 'api/checkout/browser/refresh-page.ts',
    take: 'setLost(isStreamLost || !isLoaded)',
    put: 'setLost(!isLoaded)',
    test: inBrowser('it keeps the notice while it only polls, until its stream sends an event again'),
  },
  {
    rule: 'the page of a closed charge receives late payments',
    file: 'api/checkout/read-pages.ts',
    take: ' && !canBeLate',
    put: '',
    test: {
      file: 'test/integration/api/checkout-reads.test.ts',
      title: 'send late payments for a day',
    },
  },
  {
    rule: 'a wallet request is made only after a page load that started later',
    file: 'api/checkout/browser/refresh-page.ts',
    take: '      next = null\n      const begun = loadOrLose()\n      latest = begun\n      return begun\n',
    put: '      const begun = loadOrLose().finally(() => {\n        next = null\n      })\n      latest = begun\n      return begun\n',
    test: inBrowser(
      'it sends nothing based on an outdated page state that was requested before the wallet dialog opened',
    ),
  },
  {
    rule: 'a wallet sends only on the chain that was just verified',
    file: ASK_WALLET,
    take: "  if (Number(await callWallet(provider, 'eth_chainId')) !== chainId)\n    throw",
    put: '  if (chainId < 0)\n    throw',
    test: inBrowser('it sends nothing if the wallet has left the chosen network since'),
  },
  {
    rule: 'a payment that might have been sent is not requested again',
    file: ASK_WALLET,
    take: '!NOTHING_SENT.has(getErrorCode(error))',
    put: 'false',
    test: inBrowser('it requests no second payment after a wallet error that leaves the outcome unknown'),
  },
  {
    rule: 'a pending payment is not deleted because another sender paid a part',
    file: SENT,
    take: '  return isSame && amountReceived',
    put: '  return (isSame || txHash !== null) && amountReceived',
    test: inBrowser(
      'it does not request the rest while its own payment is pending, even if another part has arrived',
    ),
  },
  {
    rule: 'a payment that a wallet has sent is stored for all tabs of the browser',
    file: SENT,
    take: 'use(localStorage)',
    put: 'use(sessionStorage)',
    test: inTabs(
      'requests a sent payment in neither tab, nor in one opened later, until the payer reports a failure',
    ),
  },
  {
    rule: 'an open tab requests no payment as soon as another tab makes a wallet request',
    file: SENT,
    take: '    if (key !== toKey(chargeId)) return\n',
    put: '    if (key !== null) return\n',
    test: inTabs(
      'requests no payment in the other tab while a wallet dialog is open, and requests it after the payer has declined',
    ),
  },
  {
    rule: 'a payment that another tab has deleted is requested again only after a refresh',
    file: SENT,
    take: 'if (!(await refresh()))',
    put: 'if (readStored(chargeId) !== null)',
    test: inTabs(
      'requests no payment that one tab knows to have arrived while the other cannot read the state',
    ),
  },
  {
    rule: 'a payment that another tab has deleted is requested again once the service responds',
    file: SENT,
    take: 'setTimeout(() => void deleteAfterRefresh(), RETRY_AFTER_MS)',
    put: 'void RETRY_AFTER_MS',
    test: inTabs(
      'requests no payment in the other tab while a wallet dialog is open, and requests it after the payer has declined',
    ),
  },
  {
    rule: 'a wallet request is not made if another tab has sent a payment in between',
    file: PAY,
    take: '        if (findSubmitted(current()) !== null) return showMessage()\n',
    put: '',
    test: inTabs('sends nothing in one tab if the other has sent while its wallet dialog was open'),
  },
  {
    rule: 'a payment of one tab is not deleted when the payer declines in another tab',
    file: SENT,
    take: '    if (isForOtherPage(readSent(id))) throw error\n',
    put: '',
    test: inTabs('keeps the payment of one tab when the payer declines an earlier request in the other'),
  },
  {
    rule: 'only one tab at a time makes a wallet request',
    file: 'api/checkout/browser/tab-lock.ts',
    take: "    if (lock === null) throw new WalletError('script.pending')\n",
    put: '',
    test: inTabs(
      'sends no request to a second wallet while one is pending, even if the payer reports that no payment was sent',
    ),
  },
]
