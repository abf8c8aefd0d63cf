import { tmpdir } from 'node:os'
import { expect } from 'chai'
import { getDataDirectory } from '../../support/data-place.ts'

describe("the place of a suite's data", () => {
  it('is the temporary directory where there is no memory to write to, or not enough', () => {
    expect(getDataDirectory('/nowhere')).to.equal(tmpdir())
    // Holds nothing, and so has no room.
    expect(getDataDirectory('/proc')).to.equal(tmpdir())
  })
})
