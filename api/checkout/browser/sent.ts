import type { PageCheckout, PageData } from '../page-data.ts'
import { Refusal } from './ask-wallet.ts'
import type { Send, Signed } from './way.ts'

/** What a wallet of this browser has sent for a charge, or was asked to send; known to every tab of it. */
export type Sent = {
  /** `null`: it was asked, and did not say whether it has sent; or the page that asked was left before it answered. */
  readonly txHash: string | null
  /** What it said in place of a hash; `null`: nothing. */
  readonly answer: string | null
  readonly network: string
  /** What had arrived when it was sent: whatever it is later, this payment is part of. */
  readonly receivedBefore: string | null
  /** The page that asked the wallet; another one after a reload. */
  readonly by: string
  /** The deadline of the charge: after it nobody is asked for anything. */
  readonly expiresAt: string
  /** It was a signature, which the service carries out; left out for what the wallet itself sends. */
  readonly signed?: Signed
}

/** Answers what this browser has sent and the page does not show yet; what has been credited is forgotten. */
export function findSent({ checkout }: PageData): Sent | null {
  const sent = readSent(checkout.id)
  if (sent === null) return null
  if (ENDS.has(checkout.screen) || isCredited(checkout, sent)) {
    keepSent(checkout.id, null)
    return null
  }
  // Seen is not credited: a transfer that is taken back is on its way again.
  return checkout.screen === 'pay' ? sent : null
}

const ENDS: ReadonlySet<string> = new Set(['paid', 'underpaid', 'expired'])

/** More has come, and with this hash: what somebody else sent meanwhile says nothing of what is still on its way. */
function isCredited({ amountReceived, txHash }: PageCheckout, sent: Sent): boolean {
  const isSame = txHash !== null && txHash.toLowerCase() === sent.txHash?.toLowerCase()
  return isSame && amountReceived !== sent.receivedBefore
}

/** Keeps it, or with `null` forgets it, for every tab; a browser that lets pages store nothing keeps it in this one. */
export function keepSent(chargeId: string, sent: Sent | null): void {
  if (sent === null) {
    known.delete(chargeId)
    stored((storage) => storage.removeItem(keyOf(chargeId)))
    return
  }
  known.set(chargeId, sent)
  stored((storage) => storage.setItem(keyOf(chargeId), JSON.stringify(sent)))
}

/**
 * Keeps that a wallet is asked before it is, and then what it has sent: a page that is loaded again meanwhile, as it is
 * where one goes to another app to confirm, never hears the answer and must not ask for what may have been sent.
 */
export async function keepSending(
  { id, amountReceived: receivedBefore, expiresAt }: PageCheckout,
  network: string,
  sending: Send,
): Promise<void> {
  const { signed } = sending
  const asked: Sent = {
    ...{ network, receivedBefore, expiresAt, by: THIS_PAGE, txHash: null, answer: null },
    ...(signed && { signed }),
  }
  keepSent(id, asked)
  try {
    keepSent(id, { ...asked, txHash: await sending() })
  } catch (error) {
    const mayBeSent = error instanceof Refusal && error.mayBeSent
    // What another tab has kept since stays: of that this wallet says nothing.
    if (isOfAnotherPage(readSent(id))) throw error
    keepSent(id, mayBeSent ? { ...asked, answer: error.values['message'] ?? null } : null)
    throw error
  }
}

/** Tells whether it is of another tab, or of this one before it was loaded again. */
export function isOfAnotherPage(sent: Sent | null): boolean {
  return sent !== null && sent.by !== THIS_PAGE
}

/**
 * Follows what other tabs of this browser keep of a charge.
 *
 * What one of them has forgotten this page forgets only once it was loaded after that: it may have been credited, and the
 * page not know of that yet.
 *
 * @param refresh - answers whether the page is as the service has it now
 * @param show - called when something else is known
 */
export function followTabs(
  chargeId: string,
  { refresh, show }: { readonly refresh: () => Promise<boolean>; readonly show: () => void },
): void {
  const forget = async (): Promise<void> => {
    if (!(await refresh())) setTimeout(() => void forget(), AGAIN_AFTER_MS)
    else if (readStored(chargeId) === null) known.delete(chargeId)
    show()
  }
  addEventListener('storage', ({ key, newValue }) => {
    if (key !== keyOf(chargeId)) return
    const sent = parseSent(newValue)
    if (sent === null) {
      void forget()
      return
    }
    known.set(chargeId, sent)
    show()
  })
}

const AGAIN_AFTER_MS = 3000

/** More charges than anybody pays at once. */
const MOST_OTHERS = 50

/** Forgets what was kept of other charges whose time is over, and of the first to end where there are many. */
export function forgetOthers({ checkout, now }: PageData): void {
  stored((storage) => {
    const others = Object.keys(storage)
      .filter((key) => key.startsWith(PREFIX) && key !== keyOf(checkout.id))
      .map((key) => ({ key, expiresAt: parseSent(storage.getItem(key))?.expiresAt ?? '' }))
      .sort((one, other) => other.expiresAt.localeCompare(one.expiresAt))
    for (const [index, { key, expiresAt }] of others.entries())
      if (index >= MOST_OTHERS || expiresAt <= now) storage.removeItem(key)
  })
}

/** It outlives a reload, which must not invite a second payment; what this page knows it knows without a storage. */
function readSent(chargeId: string): Sent | null {
  return known.get(chargeId) ?? readStored(chargeId)
}

function readStored(chargeId: string): Sent | null {
  const sent = parseSent(stored((storage) => storage.getItem(keyOf(chargeId))))
  if (sent !== null) known.set(chargeId, sent)
  return sent
}

/** What others of the same origin may have written there is nothing. */
function parseSent(text: string | null): Sent | null {
  try {
    return text === null ? null : (JSON.parse(text) as Sent)
  } catch {
    return null
  }
}

function stored<Answer>(use: (storage: Storage) => Answer): Answer | null {
  try {
    return use(localStorage)
  } catch {
    return null
  }
}

/** What this page has kept or read, and other tabs have told it. */
const known = new Map<string, Sent>()

/** Wherever it is served from: `crypto.randomUUID` is for https alone. */
const THIS_PAGE = crypto.getRandomValues(new Uint32Array(2)).join('-')

const PREFIX = 'checkout sent '

function keyOf(chargeId: string): string {
  return `${PREFIX}${chargeId}`
}
