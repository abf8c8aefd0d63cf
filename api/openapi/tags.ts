/** The chapters of the document, in their order. */
export const TAGS = {
  Charges: 'Ask for a payment, read it, follow it.',
  Escrow: 'Release or refund what a charge with escrow holds. The releaser signs; nobody else can.',
  Recipients: 'Wallets that a charge can pay besides the merchant.',
  Webhooks: 'Be told of events; see what was delivered.',
  'Webhook events': 'What webhooks are sent.',
  Sandbox: 'Simulate payments with a test key, without a chain.',
  Metrics: 'Sums and counts of your own charges.',
  Distributions: 'What anyone may pay out, for a reward.',
  Service: 'What can be accepted, and whether the service works.',
} as const

export type Tag = keyof typeof TAGS

const TAG_OF_SEGMENT: Readonly<Record<string, Tag>> = {
  charges: 'Charges',
  recipients: 'Recipients',
  webhooks: 'Webhooks',
  sandbox: 'Sandbox',
  metrics: 'Metrics',
  distributions: 'Distributions',
}

/** Answers the chapter of a path such as `/v1/charges/:id`. */
export function tagOf(path: string): Tag {
  if (/\/(release|refund)(\/|$)/.test(path)) return 'Escrow'
  return TAG_OF_SEGMENT[path.split('/')[2] ?? ''] ?? 'Service'
}
