import { expect } from 'chai'
import { GRACE_SECONDS, type Stage } from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'

const OTHER_FACTORY = `0x${'fa'.repeat(20)}`

describe('the signature of our key', () => {
  let stage: Stage

  stageForEach((fresh) => {
    stage = fresh
  })

  it('is not given for a charge whose recipients do not follow from any configuration of the service', async () => {
    const forged = await stage.pay({ amount: 10_000_000n })
    await stage.sql`delete from service_terms`
    const honest = await stage.pay({ amount: 10_000_000n })
    stage.advance(GRACE_SECONDS)
    await stage.cast().turn()

    const transactions = await stage.relayerTransactions()
    expect(transactions.map(({ payoutId }) => payoutId)).to.deep.equal([(await stage.payoutOf(honest)).id])
    const { attempts, lastError } = await stage.payoutOf(forged)
    expect(lastError).to.match(
      /^the transaction must not be signed: 0x[0-9a-f]{40} is not the split of a charge$/,
    )
    expect(attempts).to.equal(1)
  })

  for (const [title, corrupt] of [
    [
      'a charge that does not accept this chain',
      ({ sql }) => sql`update charges set accepted_chains = '{1}'`,
    ],
    [
      'a charge with the factory of another configuration',
      ({ sql }) => sql`update service_terms set factory = ${OTHER_FACTORY}`,
    ],
    [
      'a charge with a fee that neither the service nor the organization has set',
      ({ sql }) => sql`update service_terms set fee_percent = 2`,
    ],
    ['a charge that pays a recipient who is not registered', ({ sql }) => sql`delete from recipients`],
  ] as const satisfies readonly (readonly [string, (stage: Stage) => PromiseLike<unknown>])[])
    it(`is not given for ${title}`, async () => {
      const charge = await stage.pay({ amount: 10_000_000n })
      await corrupt(stage)
      stage.advance(GRACE_SECONDS)
      await stage.cast().turn()
      expect(await stage.relayerTransactions()).to.deep.equal([])
      const { lastError } = await stage.payoutOf(charge)
      expect(lastError).to.match(
        /^the transaction must not be signed: 0x[0-9a-f]{40} is not the split of a charge$/,
      )
    })
})
