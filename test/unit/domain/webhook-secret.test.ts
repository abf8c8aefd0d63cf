import { expect } from 'chai'
import { createWebhookSecret, getHint, parseWebhookSecret } from '../../../shared/domain/webhook-secret.ts'

describe('a webhook secret', () => {
  it('consists of whsec_ and 32 bytes in base64, different each time', () => {
    const secrets = [createWebhookSecret(), createWebhookSecret()]
    for (const secret of secrets) {
      expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).to.have.length(32)
      expect(parseWebhookSecret(secret)).to.equal(secret)
    }
    expect(new Set(secrets).size).to.equal(2)
  })

  it('has a hint that shows its first four characters', () => {
    expect(getHint('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=')).to.equal('whsec_MfKQ…')
  })

  it('is rejected in any other form', () => {
    for (const text of ['', 'whsec_', 'whsec_short', 'sk_live_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='])
      expect(() => parseWebhookSecret(text)).to.throw('must have the form')
  })
})
