import { expect } from 'chai'
import { requireData } from '../../api/client/client.ts'
import { connect } from '../../shared/db/connect.ts'
import { insertDeliveries } from '../../shared/db/events/daemon/insert-deliveries.ts'
import { createApiCaller } from '../devnet/call-api.ts'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { BASE } from '../devnet/networks.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

/** Number of endpoints. Each receives every event. */
const ENDPOINTS = 5
const EVENTS = 400

/** Number of kills, which divide the requests into equal shares. */
const KILLS = 8

/** Timeout of the deliveries. Attempts in flight at a kill are repeated after their lease of 15 s. */
const DELIVERED_WITHIN_MS = 90_000

describe(`${EVENTS * ENDPOINTS} deliveries, while the daemon is killed ${KILLS} times`, function () {
  this.timeout(600_000)
  let devnet: Devnet
  let receiver: Receiver

  before(async () => {
    receiver = await startReceiver((response) => void setTimeout(() => response.end(), 10))
    devnet = await startDevnet({
      directory: await temporaryDirectory('chaos-webhooks'),
      program: 'dist',
      chains: [BASE],
    })
  })

  after(async () => {
    await devnet?.stop()
    await receiver.stop()
  })

  it('all arrive at least once, and are recorded as delivered', async () => {
    const { databaseUrl } = devnet.description
    for (let n = 0; n < ENDPOINTS; n += 1) {
      const url = `${receiver.url}/${n}`
      await requireData(
        createApiCaller(devnet.description).POST('/v1/webhooks', {
          body: { url, events: ['charge.confirmed'] },
        }),
      )
    }
    const sql = connect({ url: databaseUrl, applicationName: 'test', maxConnections: 2 })
    await sql`
      with inserted as (
        insert into events as e (id, category, type, organization_id, environment, data, created_at)
        select 'evt_' || n, 'payments', 'charge.confirmed', w.organization_id, 'live', '{}', now()
        from generate_series(1, ${EVENTS}::int) n, (select distinct organization_id from webhooks) w
        returning e as event)
      ${insertDeliveries(sql)}`

    for (let kill = 1; kill <= KILLS; kill += 1) {
      const share = Math.floor((EVENTS * ENDPOINTS * kill) / (KILLS + 1))
      await waitFor(() => receiver.requests.length >= share, {
        what: `${share} requests to the receiver`,
        timeoutMs: DELIVERED_WITHIN_MS,
        intervalMs: 1,
      })
      await devnet.indexer.kill()
      devnet.indexer.launch()
    }
    await waitFor(async () => (await pending()) === 0, {
      what: 'no delivery to be pending',
      timeoutMs: DELIVERED_WITHIN_MS,
      intervalMs: 100,
    })

    const [{ delivered }] = await sql<[{ delivered: number }]>`
      select count(*) as delivered from deliveries where status = 'delivered'`
    await sql.end()
    const arrived = new Set(
      receiver.requests.map(({ path, headers }) => `${path} ${String(headers['webhook-id'])}`),
    )
    expect([delivered, arrived.size]).to.deep.equal([EVENTS * ENDPOINTS, EVENTS * ENDPOINTS])
    // Only deliveries in flight at a kill arrive twice: at most five per endpoint.
    expect(receiver.requests.length - arrived.size).to.be.at.most(KILLS * ENDPOINTS * 5)

    async function pending(): Promise<number> {
      const [row] = await sql<[{ count: number }]>`select count(*) from deliveries where status = 'pending'`
      return row.count
    }
  })
})
