import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { STATES_FILE, statesDocument } from '../../support/states-document.ts'

describe('docs/states.md', () => {
  it('is generated from the machines and the transition lists; otherwise run `npm run states`', () => {
    expect(readFileSync(STATES_FILE, 'utf8')).to.equal(statesDocument())
  })
})
