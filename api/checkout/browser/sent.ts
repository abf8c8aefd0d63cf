/** What a wallet of this browser has sent for a charge. */
export type Sent = {
  readonly txHash: string
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

const kept = new Map<string, string>()

function keyOf(chargeId: string): string {
  return `sent ${chargeId}`
}
