import { expect } from 'chai'
import fc from 'fast-check'
import {
  type AuthorizationProblem,
  parseAuthorization,
} from '../../../shared/domain/eip3009/parse-authorization.ts'

const written = {
  from: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  to: '0x5afe5afe5afe5afe5afe5afe5afe5afe5afe5afe',
  value: '10000000',
  validAfter: '0',
  validBefore: '1800000000',
  nonce: `0x${'AB'.repeat(32)}`,
  signature: `0x${'CD'.repeat(65)}`,
}

const UNDEPLOYED = `0x${'cd'.repeat(65)}${'6492'.repeat(16)}`

describe('parseAuthorization', () => {
  it('parses each field and converts hex to lower case', () => {
    expect(parseAuthorization(written)).to.deep.equal({
      ok: true,
      signed: {
        from: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
        to: '0x5afe5afe5afe5afe5afe5afe5afe5afe5afe5afe',
        value: 10_000_000n,
        validAfter: 0n,
        validBefore: 1_800_000_000n,
        nonce: `0x${'ab'.repeat(32)}`,
        signature: `0x${'cd'.repeat(65)}`,
      },
    })
  })

  const lies: readonly [AuthorizationProblem['param'], string][] = [
    ['from', '0xf39fd6e51aad88F6F4ce6aB8827279cffFb92266'],
    ['from', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
    ['to', '0x5afe'],
    ['value', '-1'],
    ['value', '+1'],
    ['value', '1.0'],
    ['value', '1e6'],
    ['value', '0x10'],
    ['value', '010'],
    ['value', ''],
    ['value', ' 1'],
    ['value', '١'],
    ['value', '9'.repeat(100_000)],
    ['validAfter', 'now'],
    ['validBefore', '1800000000.5'],
    ['nonce', `0x${'ab'.repeat(31)}`],
    ['nonce', '1'],
    ['signature', '0x'],
    ['signature', '0xabc'],
    ['signature', 'ab'.repeat(65)],
    ['signature', `0x${'ab'.repeat(2_049)}`],
  ]
  for (const [param, lie] of lies)
    it(`rejects ${lie.slice(0, 24)}${lie.length > 24 ? `… (${lie.length})` : ''} as ${param} and names the field`, () => {
      expect(parseAuthorization({ ...written, [param]: lie })).to.include({ ok: false, param })
    })

  it('rejects an address with a wrong checksum, and lists the accepted forms', () => {
    const from = `0xAb${'ab'.repeat(19)}`
    expect(parseAuthorization({ ...written, from })).to.deep.equal({
      ...{ ok: false, param: 'from' },
      problem:
        'must be an address: 0x and 40 hex digits, all lowercase, all uppercase or with a correct checksum',
    })
  })

  it('rejects a number of 257 bits', () => {
    const parsed = parseAuthorization({ ...written, value: String(2n ** 256n) })
    expect(parsed).to.include({ ok: false, param: 'value' })
  })

  it('rejects an ERC-6492 signature, which is for a contract that is not deployed', () => {
    const parsed = parseAuthorization({ ...written, signature: UNDEPLOYED })
    expect(parsed).to.include({ ok: false, param: 'signature' })
  })

  it('accepts the largest number and the longest signature', () => {
    const largest = String(2n ** 256n - 1n)
    const parsed = parseAuthorization({
      ...{ ...written, value: largest, validAfter: largest, validBefore: largest },
      signature: `0x${'ab'.repeat(2_048)}`,
    })
    expect(parsed).to.deep.include({ ok: true })
  })

  it('does not throw for any text', () => {
    const texts = fc.record({
      ...{ from: text(), to: text(), value: text(), validAfter: text(), validBefore: text() },
      ...{ nonce: text(), signature: text() },
    })
    fc.assert(fc.property(texts, (each) => typeof parseAuthorization(each).ok === 'boolean'))
  })
})

function text() {
  return fc.oneof(fc.string(), fc.constantFrom(...Object.values(written)))
}
