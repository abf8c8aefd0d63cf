import { expect } from 'chai'
import { isChargeError } from '../../../indexer/charges/charge-actor.ts'
import { StaleReadError } from '../../../indexer/charges/write-turns.ts'
import { AppError } from '../../../shared/domain/errors.ts'

describe('errors that a charge itself can cause', () => {
  it('include errors that our own code throws and values that the database rejects', () => {
    const refused = Object.assign(new Error('refused'), { code: '23514' })
    const ours = [new Error('Broken invariant'), new TypeError(), new AppError('internal_error', 'broken')]
    for (const error of [...ours, refused]) expect(isChargeError(error), String(error)).to.equal(true)
  })

  it('exclude a stale read, which occurs if the chain feed changes a row during the turn', () => {
    expect(isChargeError(new StaleReadError({ due: 2, marked: 1 }))).to.equal(false)
  })
})
