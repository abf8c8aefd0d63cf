import { expect } from 'chai'
import type { Address } from '../../shared/domain/address.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { createClaimCheck, findUnfinishedClaims } from './claim-invariants.ts'
import { type ClaimRecord, createClaimRecord } from './claim-record.ts'
import type { InvariantContext } from './invariant-context.ts'

const [ONE, OTHER] = ['11', '22'].map((byte) => `0x${byte.repeat(20)}` as Address) as [Address, Address]
const NOW_MS = Date.parse('2026-11-20T12:00:00Z')

describe('the invariants of refunds whose payers name the destination', () => {
  let database: TestDatabase
  let claims: ClaimRecord
  let check: ReturnType<typeof createClaimCheck>

  before(async () => {
    database = await createTestDatabase({ isMigrated: false })
    // These tables lack the triggers that enforce some of the invariants.
    await database.sql`
      create table refunds (id text, charge_id text, status text, claim_hash text, destination text, canceled_at timestamptz,
        expired_at timestamptz, expires_at timestamptz)`
    await database.sql`
      create table refund_claims (refund_id text, number int4, destination text, decision text, decided_at timestamptz)`
    await database.sql`create table events (charge_id text, type text)`
  })

  beforeEach(async () => {
    claims = createClaimRecord()
    check = createClaimCheck(context())
    await database.sql`truncate refunds, refund_claims, events`
    await database.sql`
      insert into refunds values ('rf_1', 'ch_1', 'awaiting_payment', 'ab', ${ONE}, null, null, ${new Date(NOW_MS + 1_000)})`
    await database.sql`
      insert into refund_claims values ('rf_1', 1, ${ONE}, 'approved', ${new Date(NOW_MS)})`
    await database.sql`insert into events values ('ch_1', 'charge.refund_claimed'), ('ch_1', 'charge.refund_approved')`
    claims.given.push({ refundId: 'rf_1', link: 'a', address: ONE })
    claims.accepted.push({ refundId: 'rf_1', link: 'a', address: ONE })
    claims.approved.push({ refundId: 'rf_1', address: ONE })
  })

  after(() => database.drop())

  it('hold for an address that the payer gave and the merchant approved', async () => {
    expect(await check()).to.deep.equal([])
  })

  it('hold for a history without such refunds', async () => {
    const without = { ...context(), hasClaims: false, claims: createClaimRecord() }
    expect(await createClaimCheck(without)()).to.deep.equal([])
    expect(await findUnfinishedClaims(without)).to.deep.equal([])
  })

  it('fail if the merchant did not approve the destination, or the payer did not give it', async () => {
    claims.approved.length = 0
    expect(await check()).to.deep.equal([`rf_1 goes to ${ONE}, which no merchant approved`])
    claims.approved.push({ refundId: 'rf_1', address: ONE })
    claims.given[0] = { refundId: 'rf_2', link: 'a', address: ONE }
    claims.accepted.length = 0
    expect(await check()).to.deep.equal([
      `rf_1 goes to ${ONE}, which its payer did not give`,
      `rf_1 has ${ONE}, which nobody gave`,
    ])
  })

  it('fail if the destination changes', async () => {
    await check()
    claims.given.push({ refundId: 'rf_1', link: 'a', address: OTHER })
    claims.approved.push({ refundId: 'rf_1', address: OTHER })
    await database.sql`update refunds set destination = ${OTHER}`
    expect(await check()).to.deep.equal([
      `rf_1 went to ${ONE}, not ${OTHER}`,
      `${ONE} was approved for rf_1, which goes to ${OTHER}`,
    ])
  })

  it('fail if a link that was used or replaced has set an address', async () => {
    claims.stale.push({ refundId: 'rf_1', link: 'a', address: OTHER })
    await database.sql`insert into refund_claims values ('rf_1', 2, ${OTHER}, null, null)`
    await database.sql`insert into events values ('ch_1', 'charge.refund_claimed')`
    expect(await check()).to.deep.equal([`rf_1 has ${OTHER}, given through a used or replaced link`])
  })

  it('fail if an address was approved after the deadline', async () => {
    await database.sql`update refunds set expires_at = ${new Date(NOW_MS)}`
    expect(await check()).to.deep.equal([`${ONE} of rf_1 was approved after the deadline`])
  })

  it('fail if an accepted address is lost, unless its link has accepted another address or the refund has ended', async () => {
    claims.given.push({ refundId: 'rf_1', link: 'b', address: OTHER })
    claims.accepted.push({ refundId: 'rf_1', link: 'b', address: OTHER })
    expect(await check()).to.deep.equal([`rf_1 has lost the accepted address ${OTHER}`])
    await database.sql`update refunds set canceled_at = now()`
    expect(await check()).to.deep.equal([])
    await database.sql`update refunds set canceled_at = null`
    claims.given.push({ refundId: 'rf_1', link: 'b', address: ONE })
    expect(await check()).to.deep.equal([])
  })

  it('fail if an address or its approval has no event', async () => {
    await database.sql`delete from events where type = 'charge.refund_approved'`
    expect(await check()).to.deep.equal(['ch_1 has 1 addresses and 1 approvals, but 1 and 0 events'])
  })

  it('fail if a response that must not happen was recorded', async () => {
    claims.problems.push('a replaced link of rf_1 was answered with 303')
    expect(await check()).to.deep.equal(['a replaced link of rf_1 was answered with 303'])
  })

  it('fail at rest if a merchant has not finished, or a refund without a destination is open after its deadline', async () => {
    expect(await findUnfinishedClaims(context())).to.deep.equal([])
    claims.unfinished.add('claim-0-0')
    await database.sql`
      update refunds set status = 'awaiting_approval', destination = null, expires_at = ${new Date(NOW_MS - 1)}`
    expect(await findUnfinishedClaims(context())).to.deep.equal([
      'claim-0-0 is not finished',
      'rf_1 is awaiting_approval after its deadline',
    ])
  })

  function context() {
    return { database, claims, hasClaims: true, nowMs: () => NOW_MS } as unknown as InvariantContext
  }
})
