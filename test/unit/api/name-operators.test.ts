import { expect } from 'chai'
import { createOperatorNames } from '../../../api/charges/evidence/name-operators.ts'

describe('createOperatorNames', () => {
  it('shows names and domains, and numbers operators that have only an address', () => {
    const lists = [
      ['one.example', '10.0.0.7:8545'],
      ['localhost:8545', 'own'],
      ['192.168.0.1', '10.0.0.7:8545'],
      ['trusted:10.0.0.7'],
    ]
    const name = createOperatorNames(lists)
    expect(lists.map((list) => list.map(name))).to.deep.equal([
      ['one.example', 'operator 1'],
      ['operator 2', 'own'],
      ['operator 3', 'operator 1'],
      ['a single trusted node'],
    ])
  })
})
