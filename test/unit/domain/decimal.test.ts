import { expect } from 'chai'
import {
  compareDecimals,
  formatDecimal,
  parseDecimal,
  toNumber,
  truncateTo,
} from '../../../shared/domain/decimal.ts'
import { invariant } from '../../../shared/domain/errors.ts'

describe('parseDecimal', () => {
  const readable: [text: string, digits: bigint, scale: number][] = [
    ['0', 0n, 0],
    ['10', 10n, 0],
    ['10.50', 105n, 1],
    ['0.000001', 1n, 6],
    ['-1.5', -15n, 1],
    ['1e3', 1000n, 0],
    ['1.25E+1', 125n, 1],
    ['5e-7', 5n, 7],
    ['100e-2', 1n, 0],
    ['99999999999.123456', 99999999999123456n, 6],
  ]
  for (const [text, digits, scale] of readable) {
    it(`parses ${text}`, () => expect(parseDecimal(text)).to.deep.equal({ digits, scale }))
  }

  for (const text of [
    '',
    ' 1',
    '1 ',
    '+1',
    '01',
    '.5',
    '5.',
    '1e',
    '0x10',
    'NaN',
    'Infinity',
    '1_000',
    '1,5',
    '٣',
  ]) {
    it(`rejects ${JSON.stringify(text)}, which is not a JSON number`, () =>
      expect(parseDecimal(text)).to.equal(null))
  }

  for (const text of ['1e401', '1e-401', '1e999999999', `1e${'9'.repeat(50)}`, `1${'0'.repeat(400)}`]) {
    it(`rejects ${text.slice(0, 12)}… without computing its value`, () =>
      expect(parseDecimal(text)).to.equal(null))
  }
})

describe('truncateTo', () => {
  it('truncates positive and negative values toward zero', () => {
    expect(truncateTo({ digits: 19999n, scale: 4 }, 0)).to.equal(1n)
    expect(truncateTo({ digits: -19999n, scale: 4 }, 0)).to.equal(-1n)
  })

  it('converts exactly to a larger scale', () => {
    expect(truncateTo({ digits: 15n, scale: 1 }, 6)).to.equal(1_500_000n)
  })
})

describe('compareDecimals', () => {
  const compare = (left: string, right: string) => {
    const [first, second] = [parseDecimal(left), parseDecimal(right)]
    invariant(first !== null && second !== null, 'the test must compare decimals')
    return compareDecimals(first, second)
  }

  it('compares values, not notations', () => {
    expect(compare('1.5', '1.50')).to.equal(0)
    expect(compare('1.49', '1.5')).to.equal(-1)
    expect(compare('10', '9.999')).to.equal(1)
    expect(compare('-1', '0')).to.equal(-1)
  })
})

describe('formatDecimal', () => {
  it('returns no exponent and no trailing zeros', () => {
    expect(formatDecimal(10_000_000n, 6)).to.equal('10')
    expect(formatDecimal(10_500_000n, 6)).to.equal('10.5')
    expect(formatDecimal(1n, 6)).to.equal('0.000001')
    expect(formatDecimal(0n, 18)).to.equal('0')
    expect(formatDecimal(10n ** 40n, 0)).to.equal(`1${'0'.repeat(40)}`)
    expect(formatDecimal(-15n, 1)).to.equal('-1.5')
  })
})

describe('toNumber', () => {
  it('returns the nearest double, which a division of doubles might miss', () => {
    expect(toNumber(32_850_000n, 6)).to.equal(32.85)
    // The last digits exceed a double's precision, so the shorter literal is the nearest.
    expect(toNumber(123_456_789_012_345_678_901n, 18)).to.equal(123.45678901234568)
  })
})
