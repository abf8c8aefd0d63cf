import { expect } from 'chai'
import { isChargeError } from '../../../indexer/charges/charge-actor.ts'
import { StaleReadError } from '../../../indexer/charges/write-turns.ts'
import { AppError } from '../../../shared/domain/errors.ts'

describe('what may be the fault of a charge itself', () => {
  it('is what our own code threw, and what the database refused', () => {
    const refused = Object.assign(new Error('refused'), { code: '23514' })
    const ours = [new Error('Broken invariant'), new TypeError(), new AppError('internal_error', 'broken')]
    for (const error of [...ours, refused]) expect(isChargeError(error), String(error)).to.equal(true)
  })

  it('is not that the chain feed was faster: neither is it parked for that, nor its trigger answered', () => {
    expect(isChargeError(new StaleReadError({ due: 2, marked: 1 }))).to.equal(false)
  })
})
