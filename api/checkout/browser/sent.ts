/** What a wallet of this browser has sent for a charge, or was asked to send. */
export type Sent = {
  /** `null`: it was asked, and the page that asked was left before it answered. */
  readonly txHash: string | null
  readonly network: string
  /** What had arrived when it was sent: whatever it is later, this payment is part of. */
  readonly receivedBefore: string | null
}

/** Reads it; it outlives a reload, which must not invite a second payment. */
export function readSent(chargeId: string): Sent | null {
  const text = kept.get(chargeId) ?? sessionStorage.getItem(keyOf(chargeId))
  return text === null ? null : (JSON.parse(text) as Sent)
}

/** Keeps it, or with `null` forgets it. */
export function keepSent(chargeId: string, sent: Sent | null): void {
  if (sent === null) {
    kept.delete(chargeId)
    sessionStorage.removeItem(keyOf(chargeId))
    return
  }
  kept.set(chargeId, JSON.stringify(sent))
  try {
    sessionStorage.setItem(keyOf(chargeId), JSON.stringify(sent))
  } catch {
    // A browser that stores nothing keeps it until the page is left.
  }
}

/**
 * Keeps that a wallet is asked before it is, and then what it has sent: a page that is loaded again meanwhile, as it is
 * where one goes to another app to confirm, never hears the answer and must not ask for what may have been sent.
 */
export async function keepSending(
  chargeId: string,
  asked: Omit<Sent, 'txHash'>,
  sending: () => Promise<string>,
): Promise<void> {
  keepSent(chargeId, { ...asked, txHash: null })
  try {
    keepSent(chargeId, { ...asked, txHash: await sending() })
  } catch (error) {
    keepSent(chargeId, null)
    throw error
  }
}

const kept = new Map<string, string>()

function keyOf(chargeId: string): string {
  return `sent ${chargeId}`
}
