import { tmpdir } from 'node:os'
import { expect } from 'chai'
import { getDataDirectory } from '../../support/data-place.ts'

describe('the data directory of a suite', () => {
  it('is the temporary directory if the in-memory file system is missing or too small', () => {
    expect(getDataDirectory('/nowhere')).to.equal(tmpdir())
    // /proc has no free space.
    expect(getDataDirectory('/proc')).to.equal(tmpdir())
  })
})
