import { expect } from 'chai'
import { errorCode, type Sql } from '../../../shared/db/connect.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { chargeTerms, insertBase, insertOrganizationRow, SOME_ADDRESS } from '../../support/rows.ts'

const CHECK_VIOLATION = '23514'
const IN_TEST_ONLY = 'charges_simulated_in_test_only'
const ON_NO_CHAIN = 'charges_simulated_on_no_chain'

const TEST = { environment: 'test', api_key_id: 'key_test' }

describe('a simulated charge in the database', () => {
  let database: TestDatabase
  let api: Sql
  let made = 0

  before(async () => {
    database = await createTestDatabase()
    api = connectForTest(database.url.api)
    await insertOrganizationRow(database.sql, 'org_one')
    await insertBase(database.sql)
    await database.sql`
      insert into api_keys (id, organization_id, environment, key_hash, hint, payout_address, scopes)
      values ('key_test', 'org_one', 'test', ${Buffer.alloc(32, 7)}, 'svc_test_', ${SOME_ADDRESS}, '{}')`
  })

  after(async () => {
    await api.end()
    await database.drop()
  })

  it('has no chains, whether its pairs are watched or not', async () => {
    const pairs = ['USDC/base', 'USDC/optimism']
    const id = await create({ ...TEST, is_simulated: true, accepted_payments: pairs })
    const [charge] = await api`select is_simulated, accepted_chains from charges where id = ${id}`
    expect(charge).to.deep.equal({ isSimulated: true, acceptedChains: [] })
  })

  it('cannot be live, even if the owner of the database writes it', async () => {
    expect(await codeOf(create({ is_simulated: true }))).to.equal(`${CHECK_VIOLATION} ${IN_TEST_ONLY}`)
    const id = await create({})
    const update = database.sql`update charges set is_simulated = true, accepted_chains = '{}' where id = ${id}`
    expect(await codeOf(update)).to.equal(`${CHECK_VIOLATION} ${IN_TEST_ONLY}`)
  })

  it('is the only kind of charge that may have no chain, because a charge without a chain expires by our own clock', async () => {
    const id = await create({})
    const update = database.sql`update charges set accepted_chains = '{}' where id = ${id}`
    expect(await codeOf(update)).to.equal(`${CHECK_VIOLATION} ${ON_NO_CHAIN}`)
  })

  async function create(change: object): Promise<string> {
    made += 1
    const address = `0x${String(made).padStart(40, '0')}`
    const own = {
      id: `ch_${made}${'0'.repeat(30)}`,
      event_id: `evt_${made}`,
      address,
      split_address: address,
    }
    const terms = chargeTerms({ ...own, ...change }) as never
    const [answer] = await api<[{ outcome: string; chargeId: string }]>`
      select outcome, charge_id from create_charges(${api.json([terms])})`
    expect(answer.outcome).to.equal('created')
    return answer.chargeId
  }
})

async function codeOf(work: PromiseLike<unknown>): Promise<string> {
  try {
    await work
    return 'done'
  } catch (error) {
    return `${errorCode(error)} ${(error as { constraint_name?: string }).constraint_name}`
  }
}
