import { expect } from 'chai'
import * as fc from 'fast-check'
import {
  compareDecimals,
  formatDecimal,
  parseDecimal,
  toNumber,
  truncateTo,
} from '../../shared/domain/decimal.ts'
import { feeAmount, grossUp, merchantAmount } from '../../shared/domain/fee.ts'
import {
  atomic,
  atomicToAtto,
  atto,
  attoToAtomicCeil,
  divCeil,
  divFloor,
  formatMicro,
  micro,
  parseTargetAmount,
} from '../../shared/domain/money.ts'
import { formatPercent, HUNDRED_PERCENT, parsePercent, percent } from '../../shared/domain/percent.ts'

const MAX_MICRO = 999_999_999_999_000_000n

const amounts = fc.bigInt({ min: 1n, max: MAX_MICRO }).map(micro)
const fees = fc.bigInt({ min: 0n, max: HUNDRED_PERCENT - 1n }).map(percent)
const digits = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n })
const scales = fc.integer({ min: 0, max: 30 })

/** Non-negative JSON numbers, with or without a fraction and an exponent, built from digits and never from a double. */
const numberTexts = fc
  .record({
    whole: fc.bigInt({ min: 0n, max: 10n ** 12n }),
    fraction: fc.option(fc.stringMatching(/^[0-9]{1,20}$/)),
    exponent: fc.option(fc.integer({ min: -30, max: 12 })),
  })
  .map(({ whole, fraction, exponent }) => {
    return `${whole}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`
  })

describe('invariants of decimals', () => {
  it('formatting and parsing are inverse', () => {
    fc.assert(
      fc.property(digits, scales, (value, scale) => {
        const text = formatDecimal(value, scale)
        expect(text).to.match(/^-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$/)
        const decimal = parseDecimal(text)
        expect(decimal).not.to.equal(null)
        if (decimal !== null) expect(truncateTo(decimal, scale)).to.equal(value)
      }),
    )
  })

  it('two notations of the same value are parsed to the same decimal', () => {
    fc.assert(
      fc.property(digits, scales, fc.integer({ min: 0, max: 20 }), (value, scale, shift) => {
        const respelled = `${value * 10n ** BigInt(shift)}e-${scale + shift}`
        expect(parseDecimal(respelled)).to.deep.equal(parseDecimal(formatDecimal(value, scale)))
      }),
    )
  })

  it('parsing arbitrary text never throws', () => {
    fc.assert(fc.property(fc.string(), (text) => void parseDecimal(text)))
  })

  it('comparing two decimals agrees with comparing them over a common denominator', () => {
    const decimals = fc.record({ digits, scale: scales })
    fc.assert(
      fc.property(decimals, decimals, (left, right) => {
        const difference = left.digits * 10n ** BigInt(right.scale) - right.digits * 10n ** BigInt(left.scale)
        expect(compareDecimals(left, right)).to.equal(difference > 0n ? 1 : difference < 0n ? -1 : 0)
      }),
    )
  })

  it('a number is converted for JSON to the nearest double', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: 1e-6, max: 1e15 }), (value) => {
        const decimal = parseDecimal(String(value))
        if (decimal !== null) expect(toNumber(decimal.digits, decimal.scale)).to.equal(value)
      }),
    )
  })
})

describe('invariants of amounts', () => {
  it('truncation uses the digits of the text, never a double', () => {
    fc.assert(
      fc.property(amounts, fc.stringMatching(/^[0-9]{0,20}$/), (amount, tail) => {
        const text = formatDecimal(amount, 6)
        const padded = text.includes('.') ? text.padEnd(text.indexOf('.') + 7, '0') : `${text}.000000`
        expect(parseTargetAmount(padded + tail)).to.equal(amount)
      }),
    )
  })

  it('formatting and parsing are inverse', () => {
    fc.assert(
      fc.property(amounts, (amount) => {
        expect(parseTargetAmount(formatMicro(amount))).to.equal(amount)
      }),
    )
  })

  it('every number is either an amount within the limits or rejected with the param `amount`', () => {
    fc.assert(
      fc.property(numberTexts, (text) => {
        try {
          const amount = parseTargetAmount(text)
          expect(amount > 0n && amount <= MAX_MICRO).to.equal(true)
        } catch (error) {
          expect(error).to.include({ code: 'validation_error', param: 'amount' })
        }
      }),
    )
  })

  it('converting atomic units to 10^-18 dollars and back returns the original', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 128n }),
        fc.integer({ min: 0, max: 18 }),
        (units, decimals) => {
          expect(attoToAtomicCeil(atomicToAtto(atomic(units), decimals), decimals)).to.equal(units)
        },
      ),
    )
  })

  it('rounding up to atomic units is never too low, and too high by less than one unit', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 128n }),
        fc.integer({ min: 0, max: 18 }),
        (amount, decimals) => {
          const paid = atomicToAtto(attoToAtomicCeil(atto(amount), decimals), decimals)
          expect(paid >= amount && paid - amount < 10n ** BigInt(18 - decimals)).to.equal(true)
        },
      ),
    )
  })

  it('the two divisions enclose the exact quotient', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 200n }),
        fc.bigInt({ min: 1n, max: 2n ** 100n }),
        (a, b) => {
          const [floor, ceil] = [divFloor(a, b), divCeil(a, b)]
          expect(floor * b <= a && a <= ceil * b && ceil - floor === (a % b === 0n ? 0n : 1n)).to.equal(true)
        },
      ),
    )
  })
})

describe('invariants of fees', () => {
  it('fee and merchant amount sum to the amount exactly', () => {
    fc.assert(
      fc.property(amounts, fees, (amountMicro, feePercent) => {
        const fee = feeAmount({ amountMicro, feePercent })
        const net = merchantAmount({ amountMicro, feePercent })
        expect(fee.scale).to.equal(net.scale)
        expect(fee.digits + net.digits).to.equal(truncateTo({ digits: amountMicro, scale: 6 }, fee.scale))
      }),
    )
  })

  it('a grossed-up amount nets at least the requested amount, and an amount one micro-dollar lower nets less', () => {
    fc.assert(
      fc.property(amounts, fees, (requestedMicro, feePercent) => {
        const gross = grossUp({ requestedMicro, feePercent })
        const requested = { digits: requestedMicro, scale: 6 }
        expect(compareDecimals(merchantAmount({ amountMicro: gross, feePercent }), requested)).not.to.equal(
          -1,
        )
        const less = merchantAmount({ amountMicro: micro(gross - 1n), feePercent })
        expect(compareDecimals(less, requested)).to.equal(-1)
      }),
    )
  })

  it('formatting and parsing a percentage are inverse', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: HUNDRED_PERCENT }), (value) => {
        expect(parsePercent(formatPercent(percent(value)), { maxFractionDigits: 20 })).to.equal(value)
      }),
    )
  })
})
