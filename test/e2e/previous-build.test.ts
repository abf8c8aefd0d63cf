import { join } from 'node:path'
import { expect } from 'chai'
import { connect } from '../../shared/db/connect.ts'
import { type Migration, migrate, readMigrations } from '../../shared/db/migrate.ts'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { BASE } from '../devnet/networks.ts'
import type { Service } from '../devnet/service.ts'
import { untilOffered } from '../devnet/until-offered.ts'
import { buildOf } from '../support/build-of.ts'
import {
  type ChargeJson,
  createCharge,
  expectPaidOnce,
  getCharge,
  pay,
  query,
  waitUntilSettled,
} from '../support/scenario.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

/** The build from which this one is an upgrade: main before issue 18, with 19 migrations. */
const PREVIOUS = '1ad961e7eb11cde45550e07c35a33e9ced3787cf'

describe('the previous build beside the schema of this one', function () {
  this.timeout(900_000)
  let devnet: Devnet
  let previousMigrations: readonly Migration[]
  let old: { readonly api: Service; readonly indexer: Service }
  /** Made before the schema was migrated, and paid after. */
  let early: readonly ChargeJson[]

  before(async () => {
    const directory = await temporaryDirectory('e2e-previous-build')
    const confine = buildOf(PREVIOUS, join(directory, 'previous'))
    previousMigrations = readMigrations(join(directory, 'previous/shared/db/migrations'))
    devnet = await startDevnet({
      ...{ directory, program: 'dist', chains: [BASE], graceSeconds: 1, startsServices: false },
      migrations: previousMigrations,
    })
    old = {
      api: await devnet.addService('api', 'previous-api', confine),
      indexer: await devnet.addService('indexer', 'previous-indexer', confine),
    }
    await Promise.all([old.api.start(), old.indexer.start()])
    await untilOffered({ ...devnet.description, apiUrl: old.api.url }, devnet.chains)
  })

  after(() => devnet?.stop())

  it('takes payments to their end while its schema is migrated under it, and after', async () => {
    const settled = await createCharge(of(old.api))
    await payThrough(settled, old.api)
    early = [await createCharge(of(old.api)), await createCharge(of(old.api))]
    const applied = await migrateOver()
    expect(applied).to.have.length.at.least(5)
    expect(await getCharge(of(old.api), settled.id)).to.deep.include({ settlementStatus: 'completed' })
    for (const charge of [early[0], await createCharge(of(old.api))])
      if (charge !== undefined) await payThrough(charge, old.api)
  })

  it('runs on while it is replaced: what one build has made the other sees to, and nothing is doubled', async () => {
    const mine = await createCharge(of(old.api))
    await Promise.all([devnet.indexer.start(), devnet.api.start()])
    const theirs = await createCharge(devnet)
    for (const charge of [mine, theirs]) {
      const { address, status } = await getCharge(of(old.api), charge.id)
      expect(await getCharge(devnet, charge.id)).to.deep.include({ address, status })
    }
    await payThrough(theirs, old.api) // The old daemon has the chain; both pay out.
    await old.indexer.stop()
    for (const charge of [mine, early[1]]) if (charge !== undefined) await payThrough(charge, devnet.api)
  })

  it('is gone back to, and sees to what this one has made', async () => {
    const charges = [await createCharge(devnet), await createCharge(devnet)]
    await old.indexer.start()
    await Promise.all([devnet.indexer.stop(), devnet.api.stop()])
    for (const charge of charges) await payThrough(charge, old.api)
    const parked = await query(devnet, (sql) => sql`select id from charges where parked_at is not null`)
    expect([...parked]).to.deep.equal([])
  })

  /**
   * Brings the schema to what this build wants, and answers what was applied.
   *
   * The two builds are of one line of work, no releases: a migration that came between two others counts as the last.
   */
  async function migrateOver(): Promise<readonly string[]> {
    const sql = connect({ url: devnet.databaseUrls.owner, applicationName: 'migrate', maxConnections: 2 })
    const known = new Set(previousMigrations.map(({ id }) => id))
    const last = previousMigrations.at(-1)?.id ?? ''
    const later = readMigrations().filter(({ id }) => !known.has(id))
    try {
      return await migrate(sql, [
        ...previousMigrations,
        ...later.map((migration) =>
          migration.id < last ? { ...migration, id: `${last}_${migration.id}` } : migration,
        ),
      ])
    } finally {
      await sql.end()
    }
  }

  /** The devnet as it is seen through this API. */
  function of(api: Service): Devnet {
    return { ...devnet, description: { ...devnet.description, apiUrl: api.url } }
  }

  async function payThrough(charge: ChargeJson, api: Service): Promise<void> {
    await pay(devnet, { charge })
    await waitUntilSettled(of(api), charge.id)
    await expectPaidOnce(devnet, charge)
  }
})
