import { expect } from 'chai'
import { parseExitCharge } from '../../../../api/client/exit/exit-charge.ts'
import { findWorthlessReason } from '../../../../api/client/exit/payment-worth.ts'
import { NATIVE_COIN } from '../../../../shared/domain/distribution-call.ts'
import { addressOfByte, buildCharge, MERCHANT, TREASURY } from '../../../support/checked-charges.ts'

describe('findWorthlessReason', () => {
  const charge = parseExitCharge(buildCharge({}))
  const token = { symbol: 'USDC', address: addressOfByte('cc'), decimals: 6 }
  const payment = { charge, token, recipient: null, to: charge.factory, data: '0x' as const }
  const find = (changes: object, payout = MERCHANT, includesCoin = false) => {
    const options = { payouts: new Map([['evm' as const, [payout]]]), minimumMicro: 1_000_000n, includesCoin }
    return findWorthlessReason({ ...payment, amount: 2_000_000n, ...changes }, options)
  }

  it('returns a reason if the merchant’s share is below the minimum, or if native coin was not requested', () => {
    expect(find({})).to.equal(null)
    expect(find({ amount: 1_000_000n })).to.equal('below --minimum') // The merchant gets 0.99.
    expect(find({ amount: 100_000_000n }, TREASURY)).to.equal('below --minimum')
    expect(find({ recipient: TREASURY, amount: 999_999n })).to.equal('below --minimum')
    expect(find({ recipient: TREASURY, amount: 1_000_000n })).to.equal(null)
    const coin = { ...token, address: NATIVE_COIN, decimals: 18 }
    expect(find({ token: coin, amount: 10n ** 20n })).to.equal('only paid with --native-coin')
    expect(find({ token: coin }, MERCHANT, true)).to.equal(null)
  })
})
