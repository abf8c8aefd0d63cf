import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { Webhook as SvixWebhook } from 'svix'
import { createWebhookSecret, type WebhookSecret } from '../../../shared/domain/webhook-secret.ts'
import { signAttempt } from '../../../shared/domain/webhook-signature.ts'

const id = 'evt_01'
const body =
  '{"id":"evt_01","event":"charge.confirmed","createdAt":"2026-11-20T12:00:00.000Z","data":{"amount":10}}'
const stripe = new Stripe('sk_test_unused')

/** Merchants’ libraries. Each throws for an invalid signature. */
const VERIFIERS = {
  stripe: (text: string, headers: Headers, secret: string) =>
    stripe.webhooks.constructEvent(text, headers['x-service-signature'] ?? '', secret),
  standardwebhooks: (text: string, headers: Headers, secret: string) =>
    new StandardWebhook(secret).verify(text, headers),
  svix: (text: string, headers: Headers, secret: string) => new SvixWebhook(secret).verify(text, headers),
}

type Headers = Record<string, string>

describe('the signature of a webhook', () => {
  const secret = createWebhookSecret()
  const older = createWebhookSecret()
  const stranger = createWebhookSecret()

  for (const [library, verify] of Object.entries(VERIFIERS)) {
    describe(`verified with ${library}`, () => {
      it('is accepted for the signed body', () => {
        expect(verify(body, sign([secret]), secret)).to.have.property('event', 'charge.confirmed')
      })

      it('is rejected for an altered body', () => {
        expect(() => verify(body.replace('10', '11'), sign([secret]), secret)).to.throw()
      })

      it('is rejected for another secret', () => {
        expect(() => verify(body, sign([secret]), stranger)).to.throw()
      })

      it('is rejected ten minutes later', () => {
        const headers = sign([secret], now() - 600)
        expect(() => verify(body, headers, secret)).to.throw()
      })

      it('is accepted with the new and the old secret during a rotation, but with no other', () => {
        const headers = sign([secret, older])
        expect(() => verify(body, headers, secret)).not.to.throw()
        expect(() => verify(body, headers, older)).not.to.throw()
        expect(() => verify(body, headers, stranger)).to.throw()
      })
    })
  }

  it('is the hex HMAC of time and body, with the whole text of the secret as the key', () => {
    const expected = createHmac('sha256', secret).update(`1700000000.${body}`).digest('hex')
    expect(sign([secret], 1_700_000_000)['x-service-signature']).to.equal(`t=1700000000,v1=${expected}`)
  })

  it('has the newest secret’s signature first and last during a rotation', () => {
    const [, ...versions] = (sign([secret, older])['x-service-signature'] ?? '').split(',')
    expect(versions).to.have.length(3)
    expect(versions[0]).to.equal(versions[2])
    expect(versions[0]).not.to.equal(versions[1])
  })
})

function sign(secrets: [WebhookSecret, ...WebhookSecret[]], timestamp = now()): Headers {
  return { ...signAttempt({ id, body, timestamp }, secrets) }
}

function now(): number {
  return Math.floor(Date.now() / 1000)
}
