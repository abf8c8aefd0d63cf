import type { PageCheckout, PageData } from '../page-data.ts'
import { Refusal } from './ask-wallet.ts'

/** What a wallet of this browser has sent for a charge, or was asked to send. */
export type Sent = {
  /** `null`: it was asked, and did not say whether it has sent; or the page that asked was left before it answered. */
  readonly txHash: string | null
  /** What it said in place of a hash; `null`: nothing. */
  readonly answer: string | null
  readonly network: string
  /** What had arrived when it was sent: whatever it is later, this payment is part of. */
  readonly receivedBefore: string | null
}

/** Answers what this browser has sent and the page does not show yet; what has been credited is forgotten. */
export function findSent({ checkout }: PageData): Sent | null {
  const sent = readSent(checkout.id)
  if (sent === null) return null
  if (checkout.screen === 'paid' || isCredited(checkout, sent)) {
    keepSent(checkout.id, null)
    return null
  }
  // Seen is not credited: a transfer that is taken back is on its way again.
  return checkout.screen === 'pay' ? sent : null
}

/** More has come, and with this hash: what somebody else sent meanwhile says nothing of what is still on its way. */
function isCredited({ amountReceived, txHash }: PageCheckout, sent: Sent): boolean {
  const isSame = txHash !== null && txHash.toLowerCase() === sent.txHash?.toLowerCase()
  return isSame && amountReceived !== sent.receivedBefore
}

/** Reads it; it outlives a reload, which must not invite a second payment. */
function readSent(chargeId: string): Sent | null {
  const text = kept.get(chargeId) ?? stored((storage) => storage.getItem(keyOf(chargeId)))
  // What an earlier release of this script has kept knows of no answer.
  return text ? { answer: null, ...(JSON.parse(text) as Omit<Sent, 'answer'>) } : null
}

/** Keeps it, or with `null` forgets it. */
export function keepSent(chargeId: string, sent: Sent | null): void {
  if (sent === null) {
    kept.delete(chargeId)
    stored((storage) => storage.removeItem(keyOf(chargeId)))
    return
  }
  kept.set(chargeId, JSON.stringify(sent))
  stored((storage) => storage.setItem(keyOf(chargeId), JSON.stringify(sent)))
}

/** A browser that lets a page store nothing, nor ask, keeps it until the page is left. */
function stored<Answer>(use: (storage: Storage) => Answer): Answer | null {
  try {
    return use(sessionStorage)
  } catch {
    return null
  }
}

/**
 * Keeps that a wallet is asked before it is, and then what it has sent: a page that is loaded again meanwhile, as it is
 * where one goes to another app to confirm, never hears the answer and must not ask for what may have been sent.
 */
export async function keepSending(
  chargeId: string,
  asked: Pick<Sent, 'network' | 'receivedBefore'>,
  sending: () => Promise<string>,
): Promise<void> {
  const unknown = { ...asked, txHash: null, answer: null }
  keepSent(chargeId, unknown)
  try {
    keepSent(chargeId, { ...unknown, txHash: await sending() })
  } catch (error) {
    const mayBeSent = error instanceof Refusal && error.mayBeSent
    keepSent(chargeId, mayBeSent ? { ...unknown, answer: error.values['message'] ?? null } : null)
    throw error
  }
}

const kept = new Map<string, string>()

function keyOf(chargeId: string): string {
  return `sent ${chargeId}`
}
