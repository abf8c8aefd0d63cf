import type { ReceivedEventType } from '../webhooks/event-schema.ts'

/** When each event is sent; one without a line here does not compile. */
export const EVENT_MEANING: Readonly<Record<ReceivedEventType, string>> = {
  'charge.created': 'A charge was made.',
  'charge.partially_paid': 'Something was credited, and less than `amount`.',
  'charge.confirmed':
    'The charge is paid in full, at the depth its network needs. The money is on its way to you.',
  'charge.expired': 'Nothing came in time.',
  'charge.underpaid': 'Something came in time, and too little.',
  'charge.settled': 'Your wallet has the money.',
  'charge.settlement_failed': 'The payout failed for good; anyone can still distribute it.',
  'charge.overpaid': 'More than `amount` came; sent besides, once.',
  'charge.escrow_released': 'The release that you ordered was executed; `charge.settled` follows.',
  'charge.escrow_refunded': 'The refund that you ordered was executed.',
  'webhook.delivery_failed': 'A delivery has used its five attempts.',
  'webhook.delivery_recovered': 'A delivery succeeded, the first after the endpoint was called unhealthy.',
  'webhook.endpoint_unhealthy': 'More than a fifth of the attempts of 24 hours failed.',
  'webhook.test': 'You asked for it.',
}
