import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { STATES_FILE, statesDocument } from '../../support/states-document.ts'

describe('docs/states.md', () => {
  it('is what the machines and the tables of moves say; `npm run states` writes it anew', () => {
    expect(readFileSync(STATES_FILE, 'utf8')).to.equal(statesDocument())
  })
})
