import { expect } from 'chai'
import { createCharge } from './create-charge.ts'
import { type SimulatedDatabase, type SimulatedServer, startServer } from './engine/database.ts'
import { arrangeWorld, CHAIN_IDS, ORGANIZATIONS } from './world.ts'

describe('a charge requested by a simulated merchant', function () {
  this.timeout(120_000)
  let server: SimulatedServer
  let database: SimulatedDatabase

  before(async () => {
    server = await startServer(CHAIN_IDS, arrangeWorld)
  })

  beforeEach(async () => {
    database = await server.openDatabase()
  })

  afterEach(() => database.drop())
  after(() => server.stop())

  it('is rejected while an operator has paused its pair', async () => {
    await database.sql`update pairs set paused_at = now()`
    expect(await create()).to.equal(null)
  })

  it('is rejected until a quorum has read the contracts of its network', async () => {
    await database.sql`update deployments set contracts_match = null`
    expect(await create()).to.equal(null)
  })

  it('fails the history if its network has other contracts', async () => {
    await database.sql`update deployments set contracts_match = false`
    const failure = await create().catch((error: Error) => error.message)
    expect(failure).to.equal('charge was not created: token_not_supported')
  })

  function create() {
    const [organization] = ORGANIZATIONS
    if (organization === undefined) throw new Error('the world must have a merchant')
    return createCharge(database.sql, {
      ...{ organization, amountMicro: 1_000_000n, acceptedPayments: [{ token: 'USDC', network: 'base' }] },
      ...{ expiresInMs: 60_000, endsOnSecond: false, hasPartner: false, now: new Date() },
    })
  }
})
