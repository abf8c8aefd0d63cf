import { tmpdir } from 'node:os'
import { expect } from 'chai'
import { getDataDirectory } from '../../support/data-place.ts'

describe('the data directory of a suite', () => {
  it('is the temporary directory if there is no writable in-memory file system, or not enough space', () => {
    expect(getDataDirectory('/nowhere')).to.equal(tmpdir())
    // A file system without free space.
    expect(getDataDirectory('/proc')).to.equal(tmpdir())
  })
})
