import { expect } from 'chai'
import fc from 'fast-check'
import Stripe from 'stripe'
import { allocateSlots } from '../../indexer/webhooks/allocate-slots.ts'
import { nextAttemptAt } from '../../indexer/webhooks/retry-schedule.ts'
import { createSealKeys, createUnseal, seal } from '../../shared/domain/sealed-box.ts'
import { createWebhookSecret } from '../../shared/domain/webhook-secret.ts'
import { signAttempt } from '../../shared/domain/webhook-signature.ts'
import { getTargetReach, parseIpLiteral, parseWebhookUrl } from '../../shared/domain/webhook-target.ts'

describe('invariants of webhooks', () => {
  it('a changed bit of the body invalidates the signature', () => {
    const stripe = new Stripe('sk_test_unused')
    const secret = createWebhookSecret()
    const timestamp = Math.floor(Date.now() / 1000)
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.nat(), (text, at) => {
        const body = JSON.stringify({ text })
        const bytes = Buffer.from(body)
        const header = signAttempt({ id: 'evt_1', body, timestamp }, [secret])['x-service-signature'] ?? ''
        stripe.webhooks.constructEvent(bytes, header, secret)
        const index = at % bytes.length
        bytes.writeUInt8(bytes.readUInt8(index) ^ 0x20, index)
        expect(() => stripe.webhooks.constructEvent(bytes, header, secret)).to.throw()
      }),
    )
  })

  it('unsealing a sealed text returns the text', () => {
    const { publicKey, privateKey } = createSealKeys()
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(createUnseal([privateKey])(seal(publicKey, text))).to.equal(text)
      }),
    )
  })

  it('unsealing arbitrary bytes returns null and never throws', () => {
    const { privateKey } = createSealKeys()
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(createUnseal([privateKey])(Buffer.from(bytes))).to.equal(null)
      }),
    )
  })

  it('the next attempt is never before its scheduled time or after twice the delay, and the attempts of a delivery end', () => {
    const delays = [0, 300, 1800, 7200, 86_400]
    fc.assert(
      fc.property(
        fc.record({
          cycleAttempts: fc.integer({ min: 1, max: 6 }),
          lateMs: fc.nat(200_000_000),
          tookMs: fc.nat(8000),
          retryAfterMs: fc.option(fc.nat(10 ** 12)),
        }),
        ({ cycleAttempts, lateMs, tookMs, retryAfterMs }) => {
          const startedAt = new Date(lateMs)
          const finishedAt = new Date(lateMs + tookMs)
          const attempt = { cycleStartedAt: new Date(0), startedAt, finishedAt, cycleAttempts }
          const plain = nextAttemptAt({ ...attempt, retryAfterMs: null }, delays)
          const asked = nextAttemptAt({ ...attempt, retryAfterMs }, delays)
          if (plain === null || asked === null) {
            expect([plain, asked, cycleAttempts >= 5]).to.deep.equal([null, null, true])
            return
          }
          const waitMs = plain.getTime() - finishedAt.getTime()
          expect(plain.getTime()).to.be.at.least((delays[cycleAttempts] ?? 0) * 1000)
          expect(asked.getTime()).to.be.within(plain.getTime(), finishedAt.getTime() + 2 * waitMs)
        },
      ),
    )
  })

  it('allocated slots never exceed the free slots, the maximum per endpoint, or the slots that failing endpoints may use', () => {
    const endpoint = fc.record({
      webhookId: fc.uuid(),
      isFailing: fc.boolean(),
      underWay: fc.nat(6),
    })
    fc.assert(
      fc.property(
        fc.uniqueArray(endpoint, { selector: ({ webhookId }) => webhookId }),
        fc.record({
          free: fc.nat(30),
          freeForFailing: fc.integer({ min: -5, max: 15 }),
          perEndpoint: fc.nat(5),
          scarceBelow: fc.constant(0),
        }),
        (endpoints, capacity) => {
          const slots = new Map(allocateSlots(endpoints, capacity).map((one) => [one.webhookId, one.slots]))
          const slotsOf = (webhookId: string) => slots.get(webhookId) ?? 0
          const sum = (some: typeof endpoints) =>
            some.reduce((total, one) => total + slotsOf(one.webhookId), 0)
          expect(sum(endpoints)).to.be.at.most(capacity.free)
          expect(sum(endpoints.filter(({ isFailing }) => isFailing))).to.be.at.most(
            Math.max(0, capacity.freeForFailing),
          )
          for (const { webhookId, isFailing, underWay } of endpoints) {
            const most = isFailing ? Math.min(1, capacity.perEndpoint) : capacity.perEndpoint
            expect(slotsOf(webhookId)).to.be.at.most(Math.max(0, most - underWay))
          }
          // No endpoint has two slots while a working endpoint that may have a slot has none.
          const starved = endpoints.filter(
            (one) => !one.isFailing && one.underWay < capacity.perEndpoint && slotsOf(one.webhookId) === 0,
          )
          if (starved.length > 0) expect(Math.max(0, ...slots.values())).to.be.at.most(1)
        },
      ),
    )
  })

  it('a private IPv4 address is unreachable as a decimal, hexadecimal, octal, dotted or short number', () => {
    const privateByte = fc.constantFrom([10, 0xff], [127, 0xff], [0, 0xff])
    const notation = fc.constantFrom(decimal, hexadecimal, octal, dottedHexadecimal, short)
    fc.assert(
      fc.property(privateByte, fc.nat(0xffffff), notation, ([head = 0], rest, write) => {
        const url = parseWebhookUrl(`https://${write(head * 2 ** 24 + rest)}/`, [])
        expect(getTargetReach(parseIpLiteral(url.hostname) ?? 'no literal', [])).to.equal('none')
      }),
    )
  })

  it('an IPv6 address that contains an IPv4 address is unreachable', () => {
    const carrier = fc.constantFrom('::ffff:', '64:ff9b::', '64:ff9b:1::', '2002:', '2001:0:', '::')
    fc.assert(
      fc.property(carrier, fc.nat(0xffff), fc.nat(0xffff), (head, high, low) => {
        const tail = `${high.toString(16)}:${low.toString(16)}`
        const text = head.endsWith('::') || head === '::ffff:' ? `${head}${tail}` : `${head}${tail}::1`
        expect(getTargetReach(text, []), text).to.equal('none')
      }),
    )
  })

  it('checking an arbitrary text as a host never throws', () => {
    fc.assert(fc.property(fc.string(), (text) => void expect(getTargetReach(text, [])).to.be.a('string')))
  })
})

function decimal(address: number): string {
  return String(address)
}

function hexadecimal(address: number): string {
  return `0x${address.toString(16)}`
}

function octal(address: number): string {
  return `0${address.toString(8)}`
}

function dottedHexadecimal(address: number): string {
  return [24, 16, 8, 0].map((shift) => `0x${((address >>> shift) & 0xff).toString(16)}`).join('.')
}

function short(address: number): string {
  return `${address >>> 24}.${address & 0xffffff}`
}
