import { expect } from 'chai'
import { abandonNetwork } from '../../../shared/db/chain-facts/daemon/abandoned-networks.ts'
import { requireFeedsLive } from '../../../shared/db/chain-facts/daemon/deployments.ts'
import { insertDeployments } from '../../support/api.ts'
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts'

const [BASE, BNB, UNKNOWN] = [8453, 56, 1]

describe('requireFeedsLive', () => {
  let database: TestDatabase

  before(async () => {
    database = await createTestDatabase()
    await insertDeployments(database.sql)
    await database.sql`update deployments set head_number = null where chain_id = ${BNB}`
  })

  after(() => database.drop())

  it('passes once every chain has a head', async () => {
    await requireFeedsLive(database.sql, [BASE])
  })

  it('names the chains without a head and the chains without a deployment', async () => {
    expect(await complaintOf([BASE, BNB, UNKNOWN])).to.match(/chain ids: 56, 1$/)
  })

  it('does not wait for a network that was abandoned before it had a head', async () => {
    await abandonNetwork(database.sql, { network: 'bnb', environment: 'live' })
    await requireFeedsLive(database.sql, [BASE, BNB])
  })

  async function complaintOf(chainIds: readonly number[]): Promise<string> {
    const error = await requireFeedsLive(database.sql, chainIds).catch((reason: unknown) => reason)
    return error instanceof Error ? error.message : 'none'
  }
})
