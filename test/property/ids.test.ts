import { expect } from 'chai'
import * as fc from 'fast-check'
import { createApiKey, parseApiKey } from '../../shared/domain/api-key.ts'
import { isId, newId } from '../../shared/domain/ids.ts'

const moments = fc.integer({ min: 0, max: 2 ** 48 - 1 })
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

describe('invariants of ids', () => {
  it('ids sort as text in the order of their times', () => {
    fc.assert(
      fc.property(moments, moments, (earlier, later) => {
        fc.pre(earlier < later)
        expect(newId('ch', earlier) < newId('ch', later)).to.equal(true)
      }),
    )
  })

  it('ids are valid for their kind, have a fixed length, and differ within a millisecond', () => {
    fc.assert(
      fc.property(
        moments,
        fc.constantFrom('ch', 'rc', 'wh', 'evt', 'dl', 'key', 'org', 'req', 'po'),
        (nowMs, prefix) => {
          const [one, two] = [newId(prefix, nowMs), newId(prefix, nowMs)]
          expect(isId(prefix, one)).to.equal(true)
          expect(one).to.have.length(prefix.length + 37)
          expect(one).not.to.equal(two)
        },
      ),
    )
  })
})

describe('invariants of API keys', () => {
  it('any single changed character is detected', () => {
    const places = fc.nat('svc_live_'.length + 48)
    fc.assert(
      fc.property(
        fc.constantFrom('live', 'test'),
        places,
        fc.constantFrom(...base62.split('')),
        (environment, place, character) => {
          const key = createApiKey(environment)
          const changed = key.slice(0, place) + character + key.slice(place + 1)
          fc.pre(changed !== key)
          expect(parseApiKey(key)).to.deep.equal({ environment })
          expect(parseApiKey(changed)).to.equal(null)
        },
      ),
    )
  })
})
