import { expect } from 'chai'
import { abandonNetwork, resumeNetwork } from '../../shared/db/chain-facts/daemon/abandoned-networks.ts'
import {
  advanceFeedWatermark,
  getFeedWatermark,
  markChainIdle,
} from '../../shared/db/chain-facts/daemon/deployments.ts'
import { connect, type Db, type Sql } from '../../shared/db/connect.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { insertChargeRows } from '../support/charge-rows.ts'
import { buildCharge } from '../support/factories.ts'
import { readCharge } from './create-charge.ts'
import {
  buildUrl,
  OWNER,
  type SimulatedDatabase,
  type SimulatedServer,
  startServer,
} from './engine/database.ts'
import type { InvariantContext } from './invariant-context.ts'
import { findHastyEnds } from './timing-invariants.ts'
import { arrangeWorld, CHAIN_IDS, ORGANIZATIONS } from './world.ts'

const PLACE = { network: 'base', environment: 'live' } as const
const CHAIN_ID = 8453

describe('the evidence that the database records when a charge ends', function () {
  this.timeout(120_000)
  let server: SimulatedServer
  let database: SimulatedDatabase
  /** Connection of a process other than the one whose turn ends the charge. */
  let others: Sql
  let charge: ChargeRecord

  before(async () => {
    server = await startServer(CHAIN_IDS, arrangeWorld)
  })

  beforeEach(async () => {
    database = await server.openDatabase()
    const url = buildUrl({ role: OWNER, port: database.sql.options.port[0] ?? 0, name: database.name })
    others = connect({ url, applicationName: 'others', maxConnections: 1 })
    charge = await makeCharge(database.sql)
    await moveHead(database.sql, 20)
  })

  afterEach(async () => {
    await others.end()
    await database.drop()
  })

  after(() => server.stop())

  it('is insufficient if no block of the chain is past the deadline', async () => {
    await inTurn(() => Promise.resolve())
    expect(await problems()).to.match(
      /ended while the highest known head of chain 8453 was 20, with no block past its deadline at confirmation depth/,
    )
  })

  it('is sufficient if the network was abandoned when the turn began, even if an operator resumes it before the turn ends', async () => {
    await abandonNetwork(others, PLACE)
    await inTurn(() => resumeNetwork(others, PLACE))
    expect(await problems()).to.equal('')
  })

  it('is insufficient if the network was resumed before the turn began', async () => {
    await abandonNetwork(others, PLACE)
    await resumeNetwork(others, PLACE)
    await inTurn(() => Promise.resolve())
    expect(await problems()).to.match(/no block past its deadline/)
  })

  it('is sufficient if the chain was stalled when the turn began, even if the feed receives a block before the turn ends', async () => {
    await markChainIdle(others, { chainId: CHAIN_ID, headNumber: 20 })
    await inTurn(() => moveHead(others, 21))
    expect(await problems()).to.equal('')
  })

  it('is sufficient if the chain was stalled when the turn began, even if the feed was already writing a block', async () => {
    await markChainIdle(others, { chainId: CHAIN_ID, headNumber: 20 })
    await others`begin`
    await moveHead(others, 21)
    await inTurn(() => others`commit`)
    expect(await problems()).to.equal('')
  })

  /** Ends the charge in a turn that starts before `meanwhile` and ends after it. */
  async function inTurn(meanwhile: () => Promise<unknown>): Promise<void> {
    await database.sql.begin(async (db) => {
      await db`select from charges where id = ${charge.id} for no key update`
      await meanwhile()
      await db`update charges set status = 'expired' where id = ${charge.id}`
    })
  }

  /** Returns the violations, given chains without blocks. */
  async function problems(): Promise<string> {
    const found = await findHastyEnds({
      ...{ database, charges: [charge] },
      history: { scenes: new Map() },
    } as unknown as InvariantContext)
    return found.join('; ')
  }
})

async function makeCharge(sql: Sql): Promise<ChargeRecord> {
  const organization = ORGANIZATIONS[0]
  if (organization === undefined) throw new Error('the world must have a merchant')
  const { id: organizationId, keyId: apiKeyId, environment } = organization
  const charge = buildCharge({
    ...{ organizationId, apiKeyId, environment, acceptedPayments: ['USDC/base'], acceptedChains: [CHAIN_ID] },
  })
  await insertChargeRows(sql, [charge])
  return readCharge(sql, charge.id)
}

async function moveHead(db: Db, number: number): Promise<void> {
  const { watermarkVersion } = await getFeedWatermark(db, CHAIN_ID)
  await advanceFeedWatermark(db, {
    ...{
      chainId: CHAIN_ID,
      watermarkVersion,
      ponderSchema: 'ponder_of_8453',
      deep: null,
      watermarkNumber: 0,
    },
    head: { number, timestamp: 1_795_176_000 + number },
  })
}
