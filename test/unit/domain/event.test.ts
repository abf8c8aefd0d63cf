import { expect } from 'chai'
import { EVENT_CATEGORY, isWebhookEventType, WEBHOOK_EVENT_TYPES } from '../../../shared/domain/event.ts'

describe('WEBHOOK_EVENT_TYPES', () => {
  it('lists the specification’s thirteen events in its order, and five refund events', () => {
    expect(WEBHOOK_EVENT_TYPES).to.deep.equal([
      'charge.created',
      'charge.partially_paid',
      'charge.confirmed',
      'charge.expired',
      'charge.underpaid',
      'charge.settled',
      'charge.settlement_failed',
      'charge.overpaid',
      'charge.escrow_released',
      'charge.escrow_refunded',
      'charge.refund_declared',
      'charge.refund_claimed',
      'charge.refund_approved',
      'charge.refunded',
      'charge.refund_expired',
      'webhook.delivery_failed',
      'webhook.delivery_recovered',
      'webhook.endpoint_unhealthy',
    ])
  })

  it('excludes the events that go only to our own streams', () => {
    expect(isWebhookEventType('charge.updated')).to.equal(false)
    expect(isWebhookEventType('distribution.claimed')).to.equal(false)
    expect(EVENT_CATEGORY['distribution.available']).to.equal('distributions')
  })
})
