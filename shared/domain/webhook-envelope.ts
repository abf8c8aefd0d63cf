/** What a delivery tells; the same values make the same bytes. */
export type Envelope = {
  /** `evt_…` */
  readonly id: string
  readonly type: string
  readonly createdAt: Date
  /** JSON text, frozen when the event was committed. */
  readonly data: string
}

/**
 * Writes the body of a delivery, byte for byte the same on every attempt.
 *
 * `data` is put in as the text it is, never parsed: a signature covers bytes, and an amount would lose digits.
 *
 * @see specification, "Webhook deliveries"
 */
export function presentEnvelope({ id, type, createdAt, data }: Envelope): string {
  const head = JSON.stringify({ id, event: type, createdAt: createdAt.toISOString() })
  return `${head.slice(0, -1)},"data":${data}}`
}
