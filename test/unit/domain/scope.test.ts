import { expect } from 'chai'
import { hasConflictingScopes, SCOPES } from '../../../shared/domain/scope.ts'

describe('scopes', () => {
  it('are fourteen in total', () => {
    expect(new Set(SCOPES).size).to.equal(14)
  })

  it('conflict if one key could register a recipient and split to it', () => {
    expect(hasConflictingScopes(['charges:split_write', 'recipients:write'])).to.equal(true)
    expect(hasConflictingScopes(['recipients:manage_payout', 'charges:split_write'])).to.equal(true)
  })

  it('do not conflict otherwise', () => {
    expect(hasConflictingScopes([])).to.equal(false)
    expect(hasConflictingScopes(['charges:write', 'charges:split_write', 'recipients:read'])).to.equal(false)
    expect(hasConflictingScopes(SCOPES.filter((scope) => scope !== 'charges:split_write'))).to.equal(false)
  })
})
