import { join } from 'node:path'
import { expect } from 'chai'
import { connect } from '../../shared/db/connect.ts'
import { migrate, readMigrations } from '../../shared/db/migrate.ts'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { BASE } from '../devnet/networks.ts'
import type { Service } from '../devnet/service.ts'
import { untilOffered } from '../devnet/until-offered.ts'
import { checkOutBuild } from '../support/build-commit.ts'
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

/** Commit of the previous build. Migrations that both builds have must have the same text. */
const PREVIOUS = '58046540ea431e9317522fc8564eb938153eddec'

describe('the previous build with the schema of this build', function () {
  this.timeout(900_000)
  let stage: Stage
  /** Charges that are created before the migration of the schema, and paid after it. */
  let early: readonly ChargeJson[]

  before(async () => {
    stage = await startBuild(PREVIOUS)
  })

  after(() => stage?.devnet.stop())

  it('settles payments during and after the migration of its schema', async () => {
    const { old } = stage
    const settled = await createCharge(of(old.api))
    await payThrough(settled, old.api)
    early = [await createCharge(of(old.api)), await createCharge(of(old.api))]
    await migrateOver(stage)
    expect(await getCharge(of(old.api), settled.id)).to.deep.include({ settlementStatus: 'completed' })
    for (const charge of [early[0], await createCharge(of(old.api))])
      if (charge !== undefined) await payThrough(charge, old.api)
  })

  it('runs next to this build, and each build processes the other’s charges without duplicates', async () => {
    const { devnet, old } = stage
    const mine = await createCharge(of(old.api))
    await Promise.all([devnet.indexer.start(), devnet.api.start()])
    const theirs = await createCharge(devnet)
    for (const charge of [mine, theirs]) {
      const { address, status } = await getCharge(of(old.api), charge.id)
      expect(await getCharge(devnet, charge.id)).to.deep.include({ address, status })
    }
    await payThrough(theirs, old.api) // The old daemon runs Ponder, and both daemons pay out.
    await old.indexer.stop()
    for (const charge of [mine, early[1]]) if (charge !== undefined) await payThrough(charge, devnet.api)
  })

  it('processes the charges of this build after a rollback', async () => {
    const { devnet, old } = stage
    const charges = [await createCharge(devnet), await createCharge(devnet)]
    await old.indexer.start()
    await Promise.all([devnet.indexer.stop(), devnet.api.stop()])
    for (const charge of charges) await payThrough(charge, old.api)
    expect(await listParked(devnet)).to.deep.equal([])
  })

  function of(api: Service): Devnet {
    return seenThrough(stage.devnet, api)
  }

  async function payThrough(charge: ChargeJson, api: Service): Promise<void> {
    await pay(stage.devnet, { charge })
    await settleThrough(stage.devnet, { charge, api })
  }
})

/** A devnet, and the processes of the previous build. */
type Stage = {
  readonly devnet: Devnet
  readonly old: { readonly api: Service; readonly indexer: Service }
}

/** Starts a devnet with the schema and the processes of another build, and without the processes of this build. */
async function startBuild(commit: string): Promise<Stage> {
  const directory = await temporaryDirectory('e2e-previous-build')
  const confine = checkOutBuild(commit, join(directory, 'previous'))
  const migrations = readMigrations(join(directory, 'previous/shared/db/migrations'))
  const devnet = await startDevnet({
    ...{ directory, program: 'dist', chains: [BASE], graceSeconds: 1, startsServices: false, migrations },
  })
  const old = {
    api: await devnet.addService('api', 'previous-api', confine),
    indexer: await devnet.addService('indexer', 'previous-indexer', confine),
  }
  await Promise.all([old.indexer.start(), old.api.start()])
  await untilOffered({ ...devnet.description, apiUrl: old.api.url }, devnet.chains)
  return { devnet, old }
}

async function migrateOver({ devnet }: Stage): Promise<void> {
  const sql = connect({ url: devnet.databaseUrls.owner, applicationName: 'migrate', maxConnections: 2 })
  try {
    await migrate(sql)
  } finally {
    await sql.end()
  }
}

/** Returns the devnet with the URL of this API. */
function seenThrough(devnet: Devnet, api: Service): Devnet {
  return { ...devnet, description: { ...devnet.description, apiUrl: api.url } }
}

async function settleThrough(
  devnet: Devnet,
  { charge, api }: { readonly charge: ChargeJson; readonly api: Service },
): Promise<void> {
  await waitUntilSettled(seenThrough(devnet, api), charge.id)
  await expectPaidOnce(devnet, charge)
}

async function listParked(devnet: Devnet): Promise<readonly object[]> {
  return [
    ...(await query(
      devnet,
      (sql) => sql<{ id: string }[]>`select id from charges where quarantined_at is not null`,
    )),
  ]
}
