/** The chapters of the document, in order. */
export const TAGS = {
  Charges: 'Request a payment, read it, follow it.',
  Escrow: 'Release or refund the funds of a charge with escrow. Only the releaser can sign.',
  Refunds: 'Return money to a payer from your own wallet.',
  Recipients: 'Wallets that a charge can pay in addition to the merchant.',
  Webhooks: 'Receive events, and inspect deliveries.',
  'Webhook events': 'The events that are sent to webhooks.',
  Sandbox: 'Simulate payments with a test key, without a chain.',
  Metrics: 'Sums and counts of your own charges.',
  Distributions: 'Payouts that anyone may execute for a reward.',
  Service: 'The available pairs, and the health of the service.',
} as const

export type Tag = keyof typeof TAGS

const TAGS_BY_SEGMENT: Readonly<Record<string, Tag>> = {
  charges: 'Charges',
  refunds: 'Refunds',
  recipients: 'Recipients',
  webhooks: 'Webhooks',
  sandbox: 'Sandbox',
  metrics: 'Metrics',
  distributions: 'Distributions',
}

/** Returns the chapter of a path such as `/v1/charges/:id`. */
export function getTag(path: string): Tag {
  if (/\/(release|refund)(\/|$)/.test(path)) return 'Escrow'
  if (path.endsWith('/refunds')) return 'Refunds'
  return TAGS_BY_SEGMENT[path.split('/')[2] ?? ''] ?? 'Service'
}
