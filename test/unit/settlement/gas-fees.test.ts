import { expect } from 'chai'
import fc from 'fast-check'
import { bumpFees } from '../../../indexer/settlement/gas-fees.ts'

const fee = fc.bigInt({ min: 0n, max: 10n ** 13n })

describe('bumpFees', () => {
  it('raises both fees by more than the tenth that nodes want, or answers nothing', () => {
    fc.assert(
      fc.property(fee, fee, fee, (base, tip, ceiling) => {
        const paid = { maxFeePerGas: base + tip, maxPriorityFeePerGas: tip }
        const bumped = bumpFees(paid, paid, ceiling)
        if (bumped === null) return
        expect(bumped.maxFeePerGas <= ceiling).to.equal(true)
        expect(bumped.maxPriorityFeePerGas <= bumped.maxFeePerGas).to.equal(true)
        expect(10n * bumped.maxFeePerGas > 11n * paid.maxFeePerGas).to.equal(true)
        expect(10n * bumped.maxPriorityFeePerGas > 11n * paid.maxPriorityFeePerGas).to.equal(true)
      }),
    )
  })

  it('pays what gas costs now if that is more', () => {
    const quote = { maxFeePerGas: 900n, maxPriorityFeePerGas: 30n }
    expect(bumpFees({ maxFeePerGas: 80n, maxPriorityFeePerGas: 8n }, quote, 1000n)).to.deep.equal(quote)
  })

  it('leaves it stuck when the ceiling is below the least raise', () => {
    const paid = { maxFeePerGas: 80n, maxPriorityFeePerGas: 8n }
    expect(bumpFees(paid, paid, 90n)).to.equal(null)
    expect(bumpFees(paid, paid, 91n)).to.deep.equal({ maxFeePerGas: 91n, maxPriorityFeePerGas: 10n })
  })
})
