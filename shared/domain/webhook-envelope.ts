/** The content of a delivery. Equal values give equal bytes. */
export type Envelope = {
  /** `evt_…` */
  readonly id: string
  readonly type: string
  readonly createdAt: Date
  /** JSON text that never changes after the event was committed. */
  readonly data: string
}

/**
 * Returns the body of a delivery, byte for byte the same on every attempt.
 *
 * `data` is inserted as its original text and never parsed, because the signature covers the bytes, and parsing could
 * drop digits of an amount.
 *
 * @see specification, "Webhook deliveries"
 */
export function presentEnvelope({ id, type, createdAt, data }: Envelope): string {
  const head = JSON.stringify({ id, event: type, createdAt: createdAt.toISOString() })
  return `${head.slice(0, -1)},"data":${data}}`
}
