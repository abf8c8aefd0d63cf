import { expect } from 'chai'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { BASE } from '../devnet/networks.ts'
import type { Service } from '../devnet/service.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { type Balancer, startBalancer } from '../support/balancer.ts'
import { expectPaidOnce, query, SETTLED_WITHIN_MS, waitUntilSettled } from '../support/scenario.ts'
import { type SteadyLoad, startSteadyLoad } from '../support/steady-load.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

/** Restarts per process. */
const ROUNDS = 2

describe('a rolling restart of two APIs and two daemons under load, end to end', function () {
  this.timeout(900_000)
  let devnet: Devnet
  let apis: readonly Service[]
  let daemons: readonly Service[]
  let balancer: Balancer
  let load: SteadyLoad

  before(async () => {
    const settings = { api: { API_DRAIN_SECONDS: '2' } }
    const directory = await temporaryDirectory('e2e-rolling-restart')
    devnet = await startDevnet({ directory, program: 'dist', chains: [BASE], graceSeconds: 1, settings })
    apis = [devnet.api, await devnet.addService('api', 'api-2')]
    daemons = [devnet.indexer, await devnet.addService('indexer', 'indexer-2')]
    await Promise.all([apis[1]?.start(), daemons[1]?.start()])
    balancer = await startBalancer(apis)
    load = await startSteadyLoad(devnet, balancer.url)
  })

  after(async () => {
    load?.stop()
    await load?.stopAsking()
    await balancer?.stop()
    await devnet?.stop()
  })

  it('fails no request, loses no stream event, and pays out nothing twice', async () => {
    for (let round = 0; round < ROUNDS; round += 1)
      for (const service of [...daemons, ...apis]) {
        const before = load.made.length
        await service.stop()
        await service.start()
        await waitFor(() => load.made.length > before + 25, { what: '26 more charges', timeoutMs: 60_000 })
      }
    await load.stopAsking()
    expect(load.failures).to.deep.equal([])
    expect(load.paid).to.have.length.at.least(10)
    for (const { name } of apis) expect(balancer.passed.get(name), name).to.be.above(100)

    for (const { id } of load.paid) await waitUntilSettled(devnet, id)
    for (const charge of load.paid) await expectPaidOnce(devnet, charge)
    const told = await untilAllIsHeard()
    expect(load.heard, 'each event, once and in order').to.deep.equal(told)
    expect(load.lostCount(), 'interruptions of the stream').to.be.above(0)
    print(told.length)
  })

  /** Waits until the stream has sent all payment events of the charges, and returns their ids in the order of `seq`. */
  async function untilAllIsHeard(): Promise<readonly string[]> {
    const events = () =>
      query(
        devnet,
        (sql) => sql<{ id: string }[]>`
          select e.id from events e where e.charge_id = any (${load.made.map(({ id }) => id)})
            and e.category = 'payments' and e.seq is not null order by e.seq`,
      )
    const all = 1 * load.made.length + 2 * load.paid.length
    return waitFor(
      async () => {
        const told = (await events()).map(({ id }) => id)
        return told.length >= all && load.heard.length >= told.length && told
      },
      { what: `${all} events in the stream`, timeoutMs: SETTLED_WITHIN_MS, intervalMs: 200 },
    )
  }

  function print(events: number): void {
    const sorted = load.tookMs.toSorted((left, right) => left - right)
    const at = (share: number) => `${Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0)} ms`
    console.log(
      `      ${ROUNDS * (apis.length + daemons.length)} restarts: ${load.tookMs.length} requests, 0 failed, ` +
        `p50 ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)}; ${balancer.refusedCount()} connections refused; ` +
        `${load.paid.length} payments paid out once; ${events} events in one stream over ${load.lostCount() + 1} connections`,
    )
  }
})
