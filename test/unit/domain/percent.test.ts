import { expect } from 'chai'
import {
  FEE_FRACTION_DIGITS,
  formatPercent,
  HUNDRED_PERCENT,
  parsePercent,
  percent,
  percentToNumber,
  SPLIT_FRACTION_DIGITS,
} from '../../../shared/domain/percent.ts'

const readFee = (text: string) => parsePercent(text, { maxFractionDigits: FEE_FRACTION_DIGITS })
const readShare = (text: string) => parsePercent(text, { maxFractionDigits: SPLIT_FRACTION_DIGITS })

describe('parsePercent', () => {
  it('returns units of 10^-20 percent', () => {
    expect(readFee('1.5')).to.equal(150_000_000_000_000_000_000n)
    expect(readShare('33.333333')).to.equal(3_333_333_300_000_000_000_000n)
    expect(readShare('0.00000000000000000001')).to.equal(1n)
    expect(readFee('100')).to.equal(HUNDRED_PERCENT)
    expect(readFee('0')).to.equal(0n)
  })

  it('rejects more fractional digits than allowed, except trailing zeros', () => {
    expect(readFee('1.2345')).to.equal(123_450_000_000_000_000_000n)
    expect(readFee('1.23456')).to.equal(null)
    expect(readFee('1.23450000')).to.equal(123_450_000_000_000_000_000n)
    expect(readShare('0.000000000000000000001')).to.equal(null)
  })

  it('rejects values outside 0 to 100, and text that is not a number', () => {
    for (const text of ['-0.0001', '100.0001', '1e9', 'half']) expect(readFee(text)).to.equal(null)
  })

  it('returns percentages that add up exactly, although the same doubles do not', () => {
    const texts = ['32.85', '20.02', '27.12', '19.01']
    const sum = texts.reduce((total, text) => total + (readShare(text) ?? 0n), 0n)
    expect(sum).to.equal(readShare('99'))
    expect(texts.reduce((total, text) => total + Number(text), 0)).to.be.greaterThan(99)
  })
})

describe('a percent', () => {
  it('is formatted exactly, and as the nearest double', () => {
    expect(formatPercent(percent(150_000_000_000_000_000_000n))).to.equal('1.5')
    expect(percentToNumber(percent(9_909_910_000_000_000_000_000n))).to.equal(99.0991)
  })
})
