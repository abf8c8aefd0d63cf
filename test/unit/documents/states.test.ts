import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { STATES_FILE, statesDocument } from '../../support/states-document.ts'

describe('docs/states.md', () => {
  it('equals the document that `npm run states` generates', () => {
    expect(readFileSync(STATES_FILE, 'utf8')).to.equal(statesDocument())
  })
})
