import { expect } from 'chai'
import { isId, newId } from '../../../shared/domain/ids.ts'

describe('newId', () => {
  it('returns a prefix and 36 URL-safe characters', () => {
    expect(newId('ch', 1_795_000_000_000)).to.match(/^ch_[0-9a-hjkmnp-tv-z]{36}$/)
  })

  it('encodes the time in the first ten characters, in milliseconds', () => {
    expect(newId('evt', 0)).to.match(/^evt_0{10}/)
    expect(newId('evt', 33)).to.match(/^evt_0{8}11/)
    expect(newId('evt', 2 ** 48 - 1)).to.match(/^evt_7z{9}/)
  })

  it('throws for an invalid time', () => {
    for (const nowMs of [-1, 1.5, 2 ** 48, Number.NaN])
      expect(() => newId('ch', nowMs)).to.throw('not a 48-bit time')
  })
})

describe('isId', () => {
  it('accepts only well-formed ids with the given prefix', () => {
    const id = newId('ch', 1_795_000_000_000)
    expect(isId('ch', id)).to.equal(true)
    expect(isId('rc', id)).to.equal(false)
    expect(isId('ch', `${id}0`)).to.equal(false)
    expect(isId('ch', id.replace(/.$/, 'u'))).to.equal(false)
    expect(isId('ch', `${id}\n`)).to.equal(false)
  })
})
