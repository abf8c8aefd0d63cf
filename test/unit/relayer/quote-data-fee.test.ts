import { expect } from 'chai'
import fc from 'fast-check'
import { chooseDataFee } from '../../../indexer/relayer/quote-data-fee.ts'

const BOUND = { maxWei: 10n ** 15n, pricePerGasWei: 10n ** 7n }
const HONEST = { gas: 0n, besideWei: 2n * 10n ** 13n }
const LIES = [{ besideWei: 2n ** 256n - 1n }, { gas: 2n ** 64n - 1n }]

const part = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
const fee = fc.record({ gas: part, besideWei: part })

describe('chooseDataFee', () => {
  it('returns the honest fee if one of two or three nodes reports a higher fee, in any order', () => {
    for (const lie of LIES.map((one) => ({ ...HONEST, ...one })))
      for (const fees of [
        [HONEST, lie],
        [lie, HONEST],
        [HONEST, lie, HONEST],
      ])
        expect(chooseDataFee(fees, BOUND)).to.deep.equal({ ...HONEST, isWithinBound: true })
  })

  it('returns the bound, and that it is exceeded, if the only node reports a higher fee', () => {
    for (const lie of LIES) {
      const quote = chooseDataFee([{ gas: 0n, besideWei: 0n, ...lie }], BOUND)
      expect(quote.isWithinBound).to.equal(false)
      expect(quote.besideWei + quote.gas * BOUND.pricePerGasWei).to.equal(BOUND.maxWei)
    }
  })

  it('multiplies gas by the offered price', () => {
    const posting = { gas: 50_000n, besideWei: 0n }
    expect(chooseDataFee([posting], { maxWei: 50_000n * 9n, pricePerGasWei: 9n }).isWithinBound).to.equal(
      true,
    )
    expect(chooseDataFee([posting], { maxWei: 50_000n * 9n, pricePerGasWei: 10n }).isWithinBound).to.equal(
      false,
    )
  })

  it('limits both parts of the fee together to the bound, for any reports', () => {
    const bound = fc.record({ maxWei: part, pricePerGasWei: part })
    fc.assert(
      fc.property(
        fc.array(fee, { minLength: 1, maxLength: 5 }),
        bound,
        (fees, { maxWei, pricePerGasWei }) => {
          const { gas, besideWei } = chooseDataFee(fees, { maxWei, pricePerGasWei })
          expect(gas * pricePerGasWei + besideWei <= maxWei).to.equal(true)
        },
      ),
    )
  })
})
