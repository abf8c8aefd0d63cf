import type { PageData, PagePayment } from '../page-data.ts'
import { Abandoned, createConsent, type PaymentDialog, waitForAbandoned } from './consent.ts'
import { loadPaymentCode, type PaymentCode } from './load-payment-code.ts'
import { announceToScreenReader, element, setText } from './page.ts'
import { rememberWallet } from './remembered-wallet.ts'
import { showSubmitted } from './show-submitted.ts'
import {
  findSubmitted,
  isForOtherPage,
  type SubmittedPayment,
  saveSubmitted,
  saveSubmitting,
  syncTabs,
} from './submitted-payments.ts'
import type { Send } from './wallet-adapter.ts'
import { keepOpen, walletButtons } from './wallet-buttons.ts'
import { isWalletError, WalletError } from './wallet-error.ts'
import type { Wallet } from './wallets.ts'

/** The payment through a wallet on this page. Updates of the page do not interrupt it. */
export type PaymentSession = PaymentDialog & {
  /** Renders the wallets and the submitted payment again, because an update of the page might have replaced them. */
  readonly show: () => void
  readonly setWallets: (wallets: readonly Wallet[]) => void
  /**
   * Connects the wallet, switches its chain, sends the payment if the same amount is still due, and stores its hash.
   * Shows the progress and any failure.
   */
  readonly pay: (wallet: Wallet, payment: PagePayment, prepare: Prepare) => Promise<void>
}

export type Prepare = (code: PaymentCode, account: string) => Promise<Send>

type Deps = {
  readonly current: () => PageData
  /** Refreshes the page and returns whether it shows the service's current state. */
  readonly refresh: () => Promise<boolean>
  /** Renders further ways to pay with these wallets. */
  readonly more: (wallets: readonly Wallet[], till: PaymentSession) => readonly Node[]
}

/**
 * Minimum interval between two checks for a submitted payment. After each visitor's first check in a minute, the
 * service allows one check per charge in 10 seconds (`limit-visitors.ts`).
 */
const CHECK_MS = 12_000

export function createPaymentSession({ current, refresh, more }: Deps): PaymentSession {
  const message = element('div', { role: 'status' })
  let wallets: readonly Wallet[] = []
  let payer: Wallet | null = null
  let checkedAtMs = 0
  /**
   * Rendered content by element. Unchanged content is not rendered again, because that would replace a button that the
   * payer might be about to click.
   */
  const renderedContent = new WeakMap<Element, string>()
  let walletsFound = 0
  const opened = { is: false }
  let loaded: PaymentCode | null = null
  /** Two clicks must not cause two payments. */
  let isBusy = false

  const showMessage: PaymentSession['showMessage'] = (...nodes) => message.replaceChildren(...nodes)
  const agreement = createConsent(showMessage)

  function show(): void {
    const data = current()
    const sent = findSettled(data)
    const forget = () => {
      saveSubmitted(data.checkout.id, null)
      // The message is about the payment that did not happen.
      showMessage()
      show()
    }
    const code = loaded
    showSubmitted(data, sent, code && ((one) => code.renderSubmitted(data, one, forget)))
    showWallets(data)
    if (sent !== null && code === null) void findCode(data).then((found) => found && show())
  }

  async function findCode(data: PageData): Promise<PaymentCode | null> {
    loaded = await loadPaymentCode(data).catch(() => null)
    return loaded
  }

  function showWallets(data: PageData): void {
    const container = document.getElementById('wallet')
    const { howToPay, family } = data.checkout
    const payment = chosenPayment(data)
    const able = wallets.filter((wallet) => wallet.family === family)
    if (!container || !howToPay || !payment || able.length === 0) return
    const content = JSON.stringify([payment, data.checkout.swapAlternatives, walletsFound])
    if (renderedContent.get(container) === content) return
    renderedContent.set(container, content)
    const payBy = (wallet: Wallet) =>
      till.pay(wallet, payment, async (code, from) => {
        const signed = await code.offerSignature({ wallet, payment, from, data: current(), till })
        return signed ?? code.prepareTransfer(wallet, { from, to: howToPay.address, payment })
      })
    container.replaceChildren(
      ...walletButtons(data, payment, { wallets: able, payBy }),
      ...more(able, till),
      message,
    )
    keepOpen(container.querySelector('details'), opened)
  }

  async function pay(wallet: Wallet, payment: PagePayment, prepare: Prepare): Promise<void> {
    // The page might show newer data before the payment is sent.
    const data = current()
    agreement.abandon()
    await waitForAbandoned()
    if (isBusy) return
    isBusy = true
    try {
      const code = await requireCode(data)
      const account = await code.reachAccount(data, { wallet, payment }, showMessage)
      const send = await prepare(code, account)
      if (wallet.name !== null) rememberWallet(wallet.name)
      await code.withTabLock(data.checkout.id, async () => {
        // The amount might have been paid in the meantime, from here or elsewhere. Without the current data, do not
        // send.
        if (!(await refresh())) return showMessage(...setText(data, 'script.noConnection'))
        if (!isStillDue(data, current(), payment)) return showMessage()
        if (findSubmitted(current()) !== null) return showMessage()
        await saveSubmitting(data.checkout, payment.network, send)
        payer = wallet
        showMessage()
        show()
        announceToScreenReader(document.getElementById('sent')?.textContent ?? '')
      })
      await checkSubmitted()
    } catch (error) {
      if (!(error instanceof Abandoned)) showMessage(...explain(current(), error))
    } finally {
      isBusy = false
      show()
    }
  }

  /**
   * Returns the payment code. If only the page can be loaded, a new release might have replaced the code, so the page
   * is reloaded. It is reloaded only once, because something else might block the code.
   *
   * @throws {WalletError} `script.unsent` if the code cannot be loaded
   */
  async function requireCode(data: PageData): Promise<PaymentCode> {
    const code = await findCode(data)
    if (code !== null) return code
    const hasReloaded = performance.getEntriesByType('navigation')[0]?.toJSON().type === 'reload'
    if (!hasReloaded && (await refresh())) location.reload()
    throw new WalletError('script.unsent')
  }

  /**
   * Returns the submitted payment to show. Returns `null` if there is none, or while this page waits for the wallet's
   * response and shows a progress message instead.
   */
  function findSettled(data: PageData): SubmittedPayment | null {
    const sent = findSubmitted(data)
    return isBusy && sent?.txHash === null && !isForOtherPage(sent) ? null : sent
  }

  /**
   * Requests a check for the submitted payment, at most once per `CHECK_MS`. Deletes the stored payment if it failed.
   */
  async function checkSubmitted(): Promise<void> {
    const data = current()
    const sent = findSettled(data)
    if (sent === null || Date.now() - checkedAtMs < CHECK_MS) return
    checkedAtMs = Date.now()
    await requestCheck(data, sent)
    const isOver = await hasFailed(data, sent)
    const isUpToDate = await refresh()
    // If the page no longer requests money, this or another payment might have arrived. Then the stored payment is kept
    // until it is credited or the charge has ended.
    if (isOver && isUpToDate && findSubmitted(current()) === sent) {
      saveSubmitted(data.checkout.id, null)
      showMessage(...describeEnd(data, sent))
    }
    show()
  }

  async function hasFailed(data: PageData, sent: SubmittedPayment): Promise<boolean> {
    const code = await findCode(data)
    if (code === null) return false
    return sent.signed ? code.hasExpired(data, sent.signed) : code.hasReverted(payer, sent)
  }

  syncTabs(current().checkout.id, { refresh, show })
  setInterval(() => void checkSubmitted(), 1000)
  const till: PaymentSession = {
    ...{ show, showMessage, pay, untilAgreed: agreement.until },
    setWallets: (found) => {
      wallets = found
      walletsFound += 1
      show()
    },
  }
  return till
}

/**
 * Returns the message for a failed payment; empty if it was signed elsewhere, because the page showed few details about
 * such a payment.
 */
function describeEnd(data: PageData, { signed }: SubmittedPayment): readonly Node[] {
  if (signed === undefined) return setText(data, 'script.reverted')
  return signed.nonce === '' ? [] : setText(data, 'script.lapsed')
}

/** Requests that the service search for the submitted payment. The next refresh shows the result. */
async function requestCheck({ checkout }: PageData, { txHash, network }: SubmittedPayment): Promise<void> {
  await fetch(`${checkout.id}/check`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(txHash === null ? {} : { txHash, network }),
    signal: AbortSignal.timeout(CHECK_MS),
  }).catch(() => undefined)
}

function chosenPayment({ checkout, chosen }: PageData): PagePayment | null {
  const payments = checkout.howToPay?.payments ?? []
  return payments.find(({ token, network }) => token === chosen?.token && network === chosen.network) ?? null
}

/**
 * Returns whether the same amount is still due on the same pair: no payment was received or seen since, and the pair is
 * still open. A payment on a closed pair might go unnoticed while the page requests the amount on another pair.
 */
function isStillDue(before: PageData, now: PageData, { token, network }: PagePayment): boolean {
  const { remainingAfterSeen, howToPay } = now.checkout
  const isOpen = howToPay?.open.some((open) => open.token === token && open.network === network) ?? false
  return isOpen && remainingAfterSeen === before.checkout.remainingAfterSeen
}

/** Returns the message for a failure. An error other than a `WalletError` is a bug; its text is shown. */
function explain(data: PageData, error: unknown): readonly Node[] {
  if (isWalletError(error)) return setText(data, error.phrase, error.values)
  return setText(data, 'script.error', { message: String(error).slice(0, 200) })
}
