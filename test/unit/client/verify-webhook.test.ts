import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { verifyWebhook, WebhookVerificationError } from '../../../api/client/verify-webhook.ts'
import { createWebhookSecret, type WebhookSecret } from '../../../shared/domain/webhook-secret.ts'
import { signAttempt } from '../../../shared/domain/webhook-signature.ts'

const secret = createWebhookSecret()
const other = createWebhookSecret()
const nowMs = 1_800_000_000_000
const body = '{"id":"evt_1","event":"charge.settled","createdAt":"2026-11-21T12:00:00.000Z","data":{}}'
const signed = signAttempt({ id: 'evt_1', body, timestamp: nowMs / 1000 }, [secret])
const { 'x-service-signature': own, ...standard } = signed

describe('verifyWebhook', () => {
  it('returns the event of a delivery signed in our own scheme', () => {
    const event = verifyWebhook({ body, headers: { 'x-service-signature': own } }, secret, { nowMs })
    expect(event.event).to.equal('charge.settled')
  })

  it('returns the event if only the standard scheme’s headers arrived', () => {
    expect(verifyWebhook({ body: Buffer.from(body), headers: standard }, secret, { nowMs }).id).to.equal(
      'evt_1',
    )
  })

  it('accepts any of several secrets and any of several signatures', () => {
    const rotating = signAttempt({ id: 'evt_1', body, timestamp: nowMs / 1000 }, [other, secret])
    expect(verifyWebhook({ body, headers: rotating }, secret, { nowMs }).id).to.equal('evt_1')
    expect(verifyWebhook({ body, headers: signed }, [other, secret], { nowMs }).id).to.equal('evt_1')
  })

  const refusals: Record<string, [() => unknown, RegExp]> = {
    'another secret': [() => verifyWebhook({ body, headers: signed }, other, { nowMs }), /no signature/],
    'another secret in the standard scheme': [
      () => verifyWebhook({ body, headers: standard }, other, { nowMs }),
      /no signature/,
    ],
    'a changed body': [
      () => verifyWebhook({ body: `${body} `, headers: signed }, secret, { nowMs }),
      /no signature/,
    ],
    'a changed id in the standard scheme': [
      () => verifyWebhook({ body, headers: { ...standard, 'webhook-id': 'evt_2' } }, secret, { nowMs }),
      /no signature/,
    ],
    'a signature more than five minutes old': [
      () => verifyWebhook({ body, headers: signed }, secret, { nowMs: nowMs + 301_000 }),
      /301 seconds/,
    ],
    'a signature from the future': [
      () => verifyWebhook({ body, headers: signed }, secret, { nowMs: nowMs - 301_000 }),
      /301 seconds/,
    ],
    'a signature without a time': [
      () =>
        verifyWebhook({ body, headers: { 'x-service-signature': own?.replace(/t=\d+/, 't=') } }, secret, {
          nowMs,
        }),
      /at most 300/,
    ],
    'a signature that is not hexadecimal': [
      () =>
        verifyWebhook({ body, headers: { 'x-service-signature': `t=${nowMs / 1000},v1=zz` } }, secret, {
          nowMs,
        }),
      /no signature matches/,
    ],
    'a signature that is not base64': [
      () =>
        verifyWebhook({ body, headers: { ...standard, 'webhook-signature': 'v1,*=== v1,A=' } }, secret, {
          nowMs,
        }),
      /no signature matches/,
    ],
    'no signature': [() => verifyWebhook({ body, headers: {} }, secret, { nowMs }), /has no signature/],
  }
  for (const [title, [verify, message]] of Object.entries(refusals)) {
    it(`rejects ${title}`, () => {
      expect(verify).to.throw(WebhookVerificationError, message)
    })
  }

  for (const none of ['', 'whsec_', 'whsec_=', 'whsec_*', undefined] as readonly WebhookSecret[]) {
    it(`rejects the secret ${JSON.stringify(none)}, with which anyone could sign`, () => {
      const forged = signAttempt({ id: 'evt_1', body, timestamp: nowMs / 1000 }, [
        none ?? ('' as WebhookSecret),
      ])
      for (const headers of [forged, { ...forged, 'x-service-signature': undefined }]) {
        expect(() => verifyWebhook({ body, headers }, none, { nowMs })).to.throw(
          WebhookVerificationError,
          'a secret is empty or malformed',
        )
      }
    })
  }

  it('rejects a truncated secret, which would decode to an empty key', () => {
    const timestamp = nowMs / 1000
    const forged = createHmac('sha256', '').update(`evt_1.${timestamp}.${body}`).digest('base64')
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `v1,${forged}`,
    }
    expect(() => verifyWebhook({ body, headers }, 'whsec_AAAAA', { nowMs })).to.throw(
      WebhookVerificationError,
      'a secret is empty or malformed',
    )
  })
})
