import { expect } from 'chai'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { BASE } from '../devnet/networks.ts'
import { untilOffered } from '../devnet/until-offered.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { createDatabaseLink, type DatabaseLink } from '../support/database-link.ts'
import { listPonders } from '../support/ponder-processes.ts'
import {
  type ChargeJson,
  expectPaidOnce,
  query,
  SETTLED_WITHIN_MS,
  waitUntilSettled,
} from '../support/scenario.ts'
import { type Standby, startStandby } from '../support/standby.ts'
import { type SteadyLoad, startSteadyLoad } from '../support/steady-load.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

/** Returns the connection URL of a role, through a port that can be redirected to another server. */
const roleAt = (link: DatabaseLink, role: string) =>
  link.through(`postgres://payments_${role}@127.0.0.1:1/payments`)

describe('a standby that is promoted under load, end to end', function () {
  this.timeout(900_000)
  let devnet: Devnet
  let link: DatabaseLink
  let standby: Standby
  let load: SteadyLoad

  before(async () => {
    link = await createDatabaseLink()
    const directory = await temporaryDirectory('e2e-failover')
    devnet = await startDevnet({
      ...{ directory, program: 'dist', chains: [BASE], graceSeconds: 1, startsServices: false },
      settings: {
        api: { API_DATABASE_URL: roleAt(link, 'api') },
        indexer: {
          INDEXER_DATABASE_URL: roleAt(link, 'daemon'),
          PONDER_DATABASE_URL: roleAt(link, 'ponder'),
        },
      },
    })
    standby = await startStandby(devnet.postgres.server)
    link.through(devnet.postgres.server.url)
    await Promise.all([devnet.api.start(), devnet.indexer.start()])
    await untilOffered(devnet.description, devnet.chains)
    load = await startSteadyLoad(devnet, devnet.api.url)
  })

  after(async () => {
    load?.stop()
    await load?.stopAsking()
    await Promise.all([devnet?.indexer.stop(), devnet?.api.stop()])
    await standby?.stop()
    await devnet?.stop()
    await link?.cut()
  })

  it('has every charge whose creation was acknowledged, and both processes continue without a restart', async () => {
    const pids = [devnet.api.pid(), devnet.indexer.pid()]
    await until('ten payments', () => load.paid.length >= 10)
    const acknowledged = load.made.length
    const diedAtMs = performance.now()
    await devnet.postgres.kill()
    await link.cut('reset')
    const answered = [...load.made]
    await standby.promote()
    link.through(standby.server.url)
    await link.mend()
    const promotedAfterMs = performance.now() - diedAtMs
    await until('charges again', () => load.made.length > answered.length)
    const backAfterMs = performance.now() - diedAtMs
    const failed = load.failures.length

    expect(await missing(answered), 'acknowledged charges that are missing').to.deep.equal([])
    await until('ten more payments', () => load.paid.length >= 20)
    expect(load.failures.length, 'requests that failed after the recovery').to.be.at.most(failed + 5)
    await load.stopAsking()
    for (const { id } of load.paid) await waitUntilSettled(moved(), id)
    const settledAfterMs = performance.now() - diedAtMs
    for (const charge of load.paid) await expectPaidOnce(moved(), charge)
    expect(await missing(load.made)).to.deep.equal([])
    expect([devnet.api.pid(), devnet.indexer.pid()], 'the same processes').to.deep.equal(pids)
    expect(listPonders(devnet.indexer.pid())).to.have.length(1)
    for (const { internalUrl } of [devnet.api, devnet.indexer])
      expect((await fetch(`${internalUrl}/readyz`)).status).to.equal(200)
    const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
    console.log(
      `      ${acknowledged} charges before, ${load.made.length} in all, none lost; promoted after ${seconds(promotedAfterMs)}, ` +
        `the first charge after ${seconds(backAfterMs)}, ${failed} requests failed during this time; ` +
        `${load.paid.length} payments paid out once, the last of them ${seconds(settledAfterMs)} after the primary was killed`,
    )
  })

  /** Returns the devnet with the promoted standby as its database server. */
  function moved(): Devnet {
    const owner = devnet.databaseUrls.owner.replace(/:\d+\//, `:${standby.server.port}/`)
    return { ...devnet, databaseUrls: { ...devnet.databaseUrls, owner } }
  }

  async function missing(charges: readonly ChargeJson[]): Promise<readonly string[]> {
    const ids = charges.map(({ id }) => id)
    const rows = await query(
      moved(),
      (sql) => sql<{ id: string }[]>`select id from charges where id = any (${ids})`,
    )
    const there = new Set(rows.map(({ id }) => id))
    return ids.filter((id) => !there.has(id))
  }

  function until(condition: string, isDone: () => boolean): Promise<true> {
    return waitFor(isDone, { what: condition, timeoutMs: SETTLED_WITHIN_MS })
  }
})
