import { expect } from 'chai'
import { hasConflictingScopes, SCOPES } from '../../../shared/domain/scope.ts'

describe('scopes', () => {
  it('are the specification’s fourteen and refunds:write', () => {
    expect(new Set(SCOPES).size).to.equal(15)
  })

  it('conflict if one key could register a recipient and give it a share', () => {
    expect(hasConflictingScopes(['charges:split_write', 'recipients:write'])).to.equal(true)
    expect(hasConflictingScopes(['recipients:manage_payout', 'charges:split_write'])).to.equal(true)
  })

  it('conflict if one key could declare a refund and register the wallet that pays it', () => {
    expect(hasConflictingScopes(['refunds:write', 'recipients:manage_payout'])).to.equal(true)
    expect(hasConflictingScopes(['refunds:write', 'recipients:write'])).to.equal(false)
  })

  it('do not conflict otherwise', () => {
    expect(hasConflictingScopes([])).to.equal(false)
    expect(hasConflictingScopes(['charges:write', 'charges:split_write', 'recipients:read'])).to.equal(false)
    expect(
      hasConflictingScopes(
        SCOPES.filter((scope) => scope !== 'charges:split_write' && scope !== 'refunds:write'),
      ),
    ).to.equal(false)
  })
})
