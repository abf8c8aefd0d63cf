import { expect } from 'chai'
import { AppError } from '../../../shared/domain/errors.ts'
import {
  atomic,
  atomicToAtto,
  atto,
  attoToAtomicCeil,
  attoToAtomicFloor,
  divCeil,
  divFloor,
  formatAtto,
  formatMicro,
  micro,
  microToAtto,
  parseTargetAmount,
} from '../../../shared/domain/money.ts'

describe('parseTargetAmount', () => {
  const accepted: [text: string, amountMicro: bigint][] = [
    ['0.000001', 1n],
    ['10', 10_000_000n],
    ['10.1234567', 10_123_456n],
    ['1.9999999999', 1_999_999n],
    ['1e-6', 1n],
    ['1.5E2', 150_000_000n],
    // Doubles are inexact here: 99999999999.123456 has too many digits, and 8.2 * 1e6 is 8199999.999999999.
    ['99999999999.123456', 99_999_999_999_123_456n],
    ['8.2', 8_200_000n],
    ['999999999999', 999_999_999_999_000_000n],
    ['999999999999.0000009', 999_999_999_999_000_000n],
  ]
  for (const [text, amountMicro] of accepted) {
    it(`parses ${text} as ${amountMicro} micro-dollars`, () => {
      expect(parseTargetAmount(text)).to.equal(amountMicro)
    })
  }

  const refused: [text: string, message: RegExp][] = [
    ['0', /amount 0 is below the minimum 0\.000001/],
    ['-1', /amount -1 is below the minimum/],
    ['0.0000009', /amount 0\.0000009 is below the minimum/],
    ['999999999999.000001', /is above the maximum 999999999999$/],
    ['1e12', /amount 1e12 is above the maximum 999999999999$/],
    ['1e999999999', /amount 1e999999999 is not a decimal number/],
    ['ten', /amount ten is not a decimal number/],
    ['9'.repeat(300_000), /^amount 9{40}… is not a decimal number$/],
  ]
  for (const [text, message] of refused) {
    it(`rejects ${text.slice(0, 20)} with the value and the reason`, () => {
      expect(() => parseTargetAmount(text))
        .to.throw(AppError, message)
        .that.includes({ code: 'validation_error', param: 'amount' })
    })
  }
})

describe('units of money', () => {
  it('are 10^-6 dollars, 10^-18 dollars, and the token’s atomic units', () => {
    expect(microToAtto(micro(1n))).to.equal(10n ** 12n)
    expect(atomicToAtto(atomic(1_500_000n), 6)).to.equal(1_500_000_000_000_000_000n)
    expect(atomicToAtto(atomic(7n), 18)).to.equal(7n)
  })

  it('are rounded up to a whole atomic unit by attoToAtomicCeil', () => {
    expect(attoToAtomicCeil(atto(1n), 6)).to.equal(1n)
    expect(attoToAtomicCeil(atto(10n ** 12n), 6)).to.equal(1n)
    expect(attoToAtomicCeil(atto(10n ** 12n + 1n), 6)).to.equal(2n)
    expect(attoToAtomicCeil(atto(0n), 6)).to.equal(0n)
  })

  it('are rounded down to a whole atomic unit by attoToAtomicFloor', () => {
    expect(attoToAtomicFloor(atto(10n ** 12n - 1n), 6)).to.equal(0n)
    expect(attoToAtomicFloor(atto(2n * 10n ** 12n - 1n), 6)).to.equal(1n)
  })

  it('cannot be converted for a token with more than 18 decimals', () => {
    expect(() => atomicToAtto(atomic(1n), 19)).to.throw('a token with 19 decimals')
  })

  it('are formatted exactly', () => {
    expect(formatMicro(micro(10_500_000n))).to.equal('10.5')
    expect(formatAtto(atto(1n))).to.equal('0.000000000000000001')
  })
})

describe('division of amounts', () => {
  it('rounds down with divFloor and up with divCeil', () => {
    expect(divFloor(7n, 2n)).to.equal(3n)
    expect(divCeil(7n, 2n)).to.equal(4n)
    expect(divCeil(8n, 2n)).to.equal(4n)
  })

  it('rejects negative values, for which floor and truncation would differ, and a divisor of zero', () => {
    expect(() => divFloor(-1n, 2n)).to.throw('cannot divide -1 by 2')
    expect(() => divCeil(1n, 0n)).to.throw('cannot divide 1 by 0')
  })
})
