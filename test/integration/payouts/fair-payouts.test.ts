import { expect } from 'chai'
import { GRACE_SECONDS, type Stage } from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'

/** Number of payouts that one turn claims. */
const BATCH = 8

describe('payouts of several organizations', () => {
  let stage: Stage

  stageForEach((fresh) => {
    stage = fresh
  })

  it('are claimed for two organizations in one turn, no matter how many earlier payouts one of them has', async () => {
    await payMany('org_busy', 100)
    stage.advance(60)
    const [other] = await payMany('org_other', 1)
    stage.advance(GRACE_SECONDS)
    await stage.cast().turn()
    const claimed = await claimedBy()
    expect(claimed).to.deep.equal({ org_busy: BATCH / 2, org_other: 1 })
    expect(await stage.payoutOf(other)).to.include({ status: 'processing' })
  }).timeout(240_000)

  it('are claimed for every organization before a second payout of any organization, even across turns', async () => {
    const organizations = Array.from({ length: 12 }, (_, index) => `org_${String(index).padStart(2, '0')}`)
    for (const organizationId of organizations) await payMany(organizationId, 3)
    stage.advance(GRACE_SECONDS)
    const { turn, relayer } = stage.cast()
    await turn()
    expect(Object.values(await claimedBy())).to.deep.equal(Array.from({ length: BATCH }, () => 1))

    await stage.mine()
    await relayer.turn()
    await turn()
    const claimed = await claimedBy()
    expect(Object.keys(claimed), 'the four waiting organizations come first').to.have.members(organizations)
    expect(Object.values(claimed).filter((count) => count === 2)).to.have.length(2 * BATCH - 12)
  }).timeout(240_000)

  it('use all slots of a turn if only one organization has payouts', async () => {
    await payMany('org_alone', 10)
    stage.advance(GRACE_SECONDS)
    await stage.cast().turn()
    expect(await claimedBy()).to.deep.equal({ org_alone: BATCH })
  }).timeout(240_000)

  async function payMany(organizationId: string, count: number) {
    const charges = []
    // Payments in batches above 10 are not on the chain. A turn claims the payouts of empty splits too.
    for (let number = 1; number <= count; number += 1) {
      charges.push(await stage.pay({ amount: 1n, organizationId, isOnChain: count <= 10 }))
    }
    const [first] = charges
    if (first === undefined) throw new Error('no charge was paid')
    return [first, ...charges.slice(1)] as const
  }

  async function claimedBy(): Promise<Record<string, number>> {
    const rows = await stage.sql<{ organizationId: string; count: number }[]>`
      select organization_id, count(*) from payouts where attempts > 0 group by 1 order by 1`
    return Object.fromEntries(rows.map(({ organizationId, count }) => [organizationId, count]))
  }
})
