import type { PageCheckout, PageData } from '../page-data.ts'
import { withStorage } from './storage.ts'
import type { Send, Signed } from './wallet-adapter.ts'
import { isWalletError } from './wallet-error.ts'

/** A payment for a charge that a wallet of this browser sent or might have sent. All tabs share it. */
export type SubmittedPayment = {
  /**
   * `null` until the wallet returns a hash. It stays `null` if the wallet's response is lost, for example because the
   * payer left the page, or if the wallet returned an error although it might have sent the payment.
   */
  readonly txHash: string | null
  /** Error message that the wallet returned instead of a hash; `null` if there is none. */
  readonly answer: string | null
  readonly network: string
  /**
   * Amount that the charge had received before this payment. If the charge's current amount differs, it might include
   * this payment.
   */
  readonly receivedBefore: string | null
  /** Id of the page that sent the wallet request; a reload changes it. */
  readonly by: string
  /** Deadline of the charge, after which the page does not request a payment. */
  readonly expiresAt: string
  /**
   * Set if the wallet signed an authorization that the service submits; omitted if the wallet sends the payment itself.
   */
  readonly signed?: Signed
}

/**
 * Returns the payment that this browser sent or requested, while the page requests money and does not show this payment
 * as seen; `null` otherwise. Deletes the entry once the payment is credited or the page shows one of `ENDS`.
 */
export function findSubmitted({ checkout }: PageData): SubmittedPayment | null {
  const sent = readSent(checkout.id)
  if (sent === null) return null
  if (ENDS.has(checkout.screen) || isCredited(checkout, sent)) {
    saveSubmitted(checkout.id, null)
    return null
  }
  // If the transfer was seen, the entry is hidden but kept, because after a reorganization the transfer might be pending
  // again.
  return checkout.screen === 'pay' && !isSeen(checkout, sent) ? sent : null
}

/**
 * Returns whether the page shows this payment as seen. If so, the page requests only the remaining amount, and this
 * payment must not block that request.
 */
function isSeen({ seenTransfers }: PageCheckout, sent: SubmittedPayment): boolean {
  return seenTransfers.some(({ txHash }) => txHash.toLowerCase() === sent.txHash?.toLowerCase())
}

const ENDS: ReadonlySet<string> = new Set(['paid', 'underpaid', 'expired'])

/**
 * Returns whether the amount received has changed and the charge shows this payment's hash. A payment by another sender
 * does not prove that this payment arrived.
 */
function isCredited({ amountReceived, txHash }: PageCheckout, sent: SubmittedPayment): boolean {
  const isSame = txHash !== null && txHash.toLowerCase() === sent.txHash?.toLowerCase()
  return isSame && amountReceived !== sent.receivedBefore
}

/** Stores the payment for all tabs; `null` deletes it. If the browser blocks storage, only this tab keeps it. */
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
 * Stores the wallet request before sending it, and the wallet's response afterwards. If the page is reloaded in
 * between, as happens when the payer confirms in another app, the response never arrives. Then the page must not
 * request the payment again, because it might have been sent. Passes on the wallet's error.
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
    // Keep an entry that another tab has stored since: this wallet's error is unrelated to it.
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
 * Follows the payments that other tabs of this browser store for a charge.
 *
 * If another tab deletes the entry, this page deletes its own copy only after a refresh: the payment might have been
 * credited without this page showing it yet.
 *
 * @param refresh - refreshes the page and returns whether it then shows the service's current state
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

/** Maximum stored payments of other charges: more than a payer makes at the same time. */
const MAX_OTHERS = 50

/** Deletes the stored payments of other charges that have expired, and, beyond the maximum, those that expire first. */
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

/**
 * Returns the stored payment; `null` if there is none. It survives a reload, so that the page does not request a second
 * payment. This page's memory is read first, because the browser might block the storage.
 */
function readSent(chargeId: string): SubmittedPayment | null {
  return entries.get(chargeId) ?? readStored(chargeId)
}

function readStored(chargeId: string): SubmittedPayment | null {
  const sent = parseSent(withStorage((storage) => storage.getItem(toKey(chargeId))))
  if (sent !== null) entries.set(chargeId, sent)
  return sent
}

/** Treats text that is not valid JSON as no entry, because other pages of the same origin can write to the storage. */
function parseSent(text: string | null): SubmittedPayment | null {
  try {
    return text === null ? null : (JSON.parse(text) as SubmittedPayment)
  } catch {
    return null
  }
}

/** Payments that this page stored or read, or received from other tabs. */
const entries = new Map<string, SubmittedPayment>()

/** Random id of this page. `crypto.randomUUID` does not exist on a page that is served over http. */
const THIS_PAGE = crypto.getRandomValues(new Uint32Array(2)).join('-')

const PREFIX = 'checkout sent '

function toKey(chargeId: string): string {
  return `${PREFIX}${chargeId}`
}
