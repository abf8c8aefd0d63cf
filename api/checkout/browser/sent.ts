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

/** Reads it; it outlives a reload, which must not invite a second payment. */
export function readSent(chargeId: string): Sent | null {
  const text = kept.get(chargeId) ?? stored((storage) => storage.getItem(keyOf(chargeId)))
  return text ? (JSON.parse(text) as Sent) : null
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
