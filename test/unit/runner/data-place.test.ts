import { tmpdir } from 'node:os'
import { expect } from 'chai'
import { getDataDirectory } from '../../support/data-place.ts'

describe('the data directory of a suite', () => {
  it('is the temporary directory if there is no writable memory file system, or not enough space', () => {
    expect(getDataDirectory('/nowhere')).to.equal(tmpdir())
    // Holds nothing, and so has no room.
    expect(getDataDirectory('/proc')).to.equal(tmpdir())
  })
})
