import { expect } from 'chai'
import { formatDecimal } from '../../../shared/domain/decimal.ts'
import { feeAmount, grossUp, merchantAmount } from '../../../shared/domain/fee.ts'
import { micro } from '../../../shared/domain/money.ts'
import { HUNDRED_PERCENT, percent } from '../../../shared/domain/percent.ts'

const onePercent = percent(10n ** 20n)
const write = ({ digits, scale }: { digits: bigint; scale: number }) => formatDecimal(digits, scale)

describe('feeAmount and merchantAmount', () => {
  it('divide the amount exactly, with more than six fractional digits if needed', () => {
    const terms = { amountMicro: micro(100_000_001n), feePercent: percent(123_450_000_000_000_000_000n) }
    expect(write(feeAmount(terms))).to.equal('1.234500012345')
    expect(write(merchantAmount(terms))).to.equal('98.765500987655')
  })
})

describe('grossUp', () => {
  it('adds the fee on top, rounded up to the micro-dollar', () => {
    expect(grossUp({ requestedMicro: micro(99_000_000n), feePercent: onePercent })).to.equal(100_000_000n)
    expect(grossUp({ requestedMicro: micro(100_000_000n), feePercent: onePercent })).to.equal(101_010_102n)
  })

  it('returns the requested amount if the fee is zero', () => {
    expect(grossUp({ requestedMicro: micro(7n), feePercent: percent(0n) })).to.equal(7n)
  })

  it('rejects a fee of 100 %', () => {
    expect(() => grossUp({ requestedMicro: micro(1n), feePercent: HUNDRED_PERCENT })).to.throw(
      'a fee of 100 %',
    )
  })
})
