import type { PageCheckout, PageData } from '../page-data.ts'
import { withStorage } from './storage.ts'
import type { Send, Signed } from './wallet-adapter.ts'
import { isWalletError } from './wallet-error.ts'

/** A payment that a wallet of this browser sent or might have sent. All tabs share it. */
export type SubmittedPayment = {
  /**
   * `null` until the wallet returns a hash. Stays `null` if the wallet's response is lost, for example because the
   * payer left the page, or if the wallet returned an error although it might have sent the payment.
   */
  readonly txHash: string | null
  /** The wallet's error message; `null` if there is none. */
  readonly answer: string | null
  readonly network: string
  /** Amount received by the charge before this payment. A different current amount might include this payment. */
  readonly receivedBefore: string | null
  /** Id of the page that sent the request to the wallet. A reload changes the id. */
  readonly by: string
  readonly expiresAt: string
  /** Set if the wallet signs an authorization that the service submits; omitted if the wallet sends the payment. */
  readonly signed?: Signed
}

/**
 * Returns the stored payment if the page requests money and does not show this payment as seen; otherwise `null`.
 * Deletes the stored payment once it is credited or the page shows one of `ENDS`.
 */
export function findSubmitted({ checkout }: PageData): SubmittedPayment | null {
  const sent = readSent(checkout.id)
  if (sent === null) return null
  if (ENDS.has(checkout.screen) || isCredited(checkout, sent)) {
    saveSubmitted(checkout.id, null)
    return null
  }
  // A seen payment stays stored, because a reorganization might remove its transfer from the page again.
  return checkout.screen === 'pay' && !isSeen(checkout, sent) ? sent : null
}

/**
 * Returns whether the page shows this payment as seen. Then the page requests only the remaining amount, and this
 * payment must not block that request.
 */
function isSeen({ seenTransfers }: PageCheckout, sent: SubmittedPayment): boolean {
  return seenTransfers.some(({ txHash }) => txHash.toLowerCase() === sent.txHash?.toLowerCase())
}

const ENDS: ReadonlySet<string> = new Set(['paid', 'underpaid', 'expired'])

/**
 * Returns whether the amount received has changed and the charge shows this payment's hash. A changed amount alone
 * might come from another payment.
 */
function isCredited({ amountReceived, txHash }: PageCheckout, sent: SubmittedPayment): boolean {
  const isSame = txHash !== null && txHash.toLowerCase() === sent.txHash?.toLowerCase()
  return isSame && amountReceived !== sent.receivedBefore
}

/** Stores the payment for all tabs; `null` deletes it. If the browser blocks storage, only this tab has it. */
export function saveSubmitted(chargeId: string, sent: SubmittedPayment | null): void {
  if (sent === null) {
    entries.delete(chargeId)
    withStorage((storage) => storage.removeItem(toKey(chargeId)))
    return
  }
  entries.set(chargeId, sent)
  withStorage((storage) => storage.setItem(toKey(chargeId), JSON.stringify(sent)))
}

/**
 * Stores the payment before the wallet sends it, and the wallet's response afterwards. If the page is reloaded in
 * between, as when the payer confirms in another app, the response never arrives. The page must not request such a
 * payment again, because it might have been sent. Rethrows the wallet's error.
 */
export async function saveSubmitting(
  { id, amountReceived: receivedBefore, expiresAt }: PageCheckout,
  network: string,
  sending: Send,
): Promise<void> {
  const { signed } = sending
  const submitting: SubmittedPayment = {
    ...{ network, receivedBefore, expiresAt, by: THIS_PAGE, txHash: null, answer: null },
    ...(signed && { signed }),
  }
  saveSubmitted(id, submitting)
  try {
    saveSubmitted(id, { ...submitting, txHash: await sending() })
  } catch (error) {
    const mayBeSent = isWalletError(error) && error.mayBeSent
    // Keep a payment that another tab has stored since; this error does not concern it.
    if (isForOtherPage(readSent(id))) throw error
    saveSubmitted(id, mayBeSent ? { ...submitting, answer: error.values['message'] ?? null } : null)
    throw error
  }
}

/** Returns whether the payment was requested by another tab, or by this tab before a reload. */
export function isForOtherPage(sent: SubmittedPayment | null): boolean {
  return sent !== null && sent.by !== THIS_PAGE
}

/**
 * Applies the changes that other tabs make to the stored payment of a charge.
 *
 * If another tab deletes the payment, this page deletes its own copy only after a refresh, because the payment might
 * have been credited without this page showing it yet.
 *
 * @param refresh - refreshes the page and returns whether it now shows the service's current state
 * @param show - called when the stored payment changes
 */
export function syncTabs(
  chargeId: string,
  { refresh, show }: { readonly refresh: () => Promise<boolean>; readonly show: () => void },
): void {
  const deleteAfterRefresh = async (): Promise<void> => {
    if (!(await refresh())) setTimeout(() => void deleteAfterRefresh(), RETRY_AFTER_MS)
    else if (readStored(chargeId) === null) entries.delete(chargeId)
    show()
  }
  addEventListener('storage', ({ key, newValue }) => {
    if (key !== toKey(chargeId)) return
    const sent = parseSent(newValue)
    if (sent === null) {
      void deleteAfterRefresh()
      return
    }
    entries.set(chargeId, sent)
    show()
  })
}

const RETRY_AFTER_MS = 3000

/** Maximum stored payments of other charges; a payer does not make more at the same time. */
const MAX_OTHERS = 50

/** Deletes the stored payments of other charges that have expired, and those beyond the maximum that expire first. */
export function deleteStale({ checkout, now }: PageData): void {
  withStorage((storage) => {
    const others = Object.keys(storage)
      .filter((key) => key.startsWith(PREFIX) && key !== toKey(checkout.id))
      .map((key) => ({ key, expiresAt: parseSent(storage.getItem(key))?.expiresAt ?? '' }))
      .sort((one, other) => other.expiresAt.localeCompare(one.expiresAt))
    for (const [index, { key, expiresAt }] of others.entries())
      if (index >= MAX_OTHERS || expiresAt <= now) storage.removeItem(key)
  })
}

/** Returns the stored payment. Reads this page's memory first, because the browser might block storage. */
function readSent(chargeId: string): SubmittedPayment | null {
  return entries.get(chargeId) ?? readStored(chargeId)
}

function readStored(chargeId: string): SubmittedPayment | null {
  const sent = parseSent(withStorage((storage) => storage.getItem(toKey(chargeId))))
  if (sent !== null) entries.set(chargeId, sent)
  return sent
}

/** Returns `null` for invalid JSON, because other pages of the same origin can write to the storage. */
function parseSent(text: string | null): SubmittedPayment | null {
  try {
    return text === null ? null : (JSON.parse(text) as SubmittedPayment)
  } catch {
    return null
  }
}

const entries = new Map<string, SubmittedPayment>()

/** Random id of this page. `crypto.randomUUID` does not exist on a page served over http. */
const THIS_PAGE = crypto.getRandomValues(new Uint32Array(2)).join('-')

const PREFIX = 'checkout sent '

function toKey(chargeId: string): string {
  return `${PREFIX}${chargeId}`
}
