import { expect } from 'chai'
import { hasConflictingScopes, SCOPES } from '../../../shared/domain/scope.ts'

describe('scopes', () => {
  it('are fifteen in total: fourteen of the specification, and refunds', () => {
    expect(new Set(SCOPES).size).to.equal(15)
  })

  it('conflict if one key could register a recipient and split to it', () => {
    expect(hasConflictingScopes(['charges:split_write', 'recipients:write'])).to.equal(true)
    expect(hasConflictingScopes(['recipients:manage_payout', 'charges:split_write'])).to.equal(true)
  })

  it('conflict if one key could register the wallet of a refund and declare the refund', () => {
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
