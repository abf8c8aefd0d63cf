import { expect } from 'chai'
import { presentStreamedCharge } from '../../../api/charges/present.ts'
import { toChargeRecord } from '../../../shared/db/charges/charge-row.ts'
import type { Network } from '../../../shared/domain/networks.ts'
import { buildCharge } from '../../support/factories.ts'

describe('a streamed charge', () => {
  it('does not change when a pair is paused, because no event reports a pause to readers', () => {
    const charge = toChargeRecord(buildCharge({ acceptedPayments: ['USDC/base'] }))
    const networks = () => new Set<Network>(['base'])
    const deps = { config: { checkoutBaseUrl: null }, swap: { networks } }
    const before = presentStreamedCharge(charge, deps)
    const paused = { ...charge, ...{ unavailablePayments: ['USDC/base'] } }
    expect(presentStreamedCharge(paused, deps)).to.equal(before)
    expect(JSON.parse(before)).to.have.property('swapAlternatives').that.is.not.empty
  })
})
