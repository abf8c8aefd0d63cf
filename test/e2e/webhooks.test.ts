import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { type ApiClient, requireData } from '../../api/client/client.ts'
import type { Schema } from '../../api/client/schema.ts'
import { verifyWebhook } from '../../api/client/verify-webhook.ts'
import { createApiCaller } from '../devnet/call-api.ts'
import type { Devnet } from '../devnet/devnet.ts'
import { startProgram } from '../devnet/processes.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { LIVE_DEVNET } from '../support/live-devnet.ts'
import {
  type Behaviour,
  type ReceivedRequest,
  type Receiver,
  refuse,
  startReceiver,
} from '../support/receiver.ts'
import { createCharge, pay, query, waitUntilSettled } from '../support/scenario.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const ENDPOINTS = {
  fast: (response) => void response.end('ok'),
  slow: (response) => void setTimeout(() => response.end('at last'), 2000),
  mending: (response, request) => {
    const attempt = (attemptsOf.get(idOf(request)) ?? 0) + 1
    attemptsOf.set(idOf(request), attempt)
    response.writeHead(attempt <= 4 ? 500 : 200).end()
  },
  silent: () => {},
  redirecting: refuse(302, { location: 'http://127.0.0.1:1/' }),
  endless: (response) => {
    response.writeHead(200)
    const write = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(16_384, 'x')));
    }
    response.on('drain', write)
    write()
  },
  dropping: (response) => void response.destroy(),
} as const satisfies Record<string, Behaviour>

type Name = keyof typeof ENDPOINTS

/** Number of attempts per event at the `mending` endpoint. */
const attemptsOf = new Map<string, number>()

const NAMES = Object.keys(ENDPOINTS) as Name[]

/** Only the first charge is paid and settled. */
const CHARGES = 8

describe('webhooks, end to end', function () {
  this.timeout(300_000)
  let devnet: Devnet
  let directory: string
  const receivers = {} as Record<Name, Receiver>
  const webhooks = {} as Record<Name, { id: string; secret: string }>
  let chargeIds: string[]
  let api: ApiClient

  before(async () => {
    directory = await temporaryDirectory('e2e-webhooks')
    devnet = (await LIVE_DEVNET.of(import.meta.filename)).devnet
    api = createApiCaller(devnet.description)
    for (const name of NAMES) {
      receivers[name] = await startReceiver(ENDPOINTS[name])
      const { url } = receivers[name]
      const body = { url, eventCategories: ['payments' as const] }
      webhooks[name] = await requireData(api.POST('/v1/webhooks', { body }))
    }
    const charges = []
    for (let n = 0; n < CHARGES; n += 1) charges.push(await createCharge(devnet))
    chargeIds = charges.map(({ id }) => id)
    const [first] = charges
    if (first === undefined) throw new Error('no charge')
    await pay(devnet, { charge: first })
    await waitUntilSettled(devnet, first.id)
  })

  after(async () => {
    for (const { id } of Object.values(webhooks))
      await requireData(api.DELETE('/v1/webhooks/{id}', { params: { path: { id } } }))
    for (const receiver of Object.values(receivers)) await receiver.stop()
  })

  it('deliver every event to the fast endpoint while requests to the silent endpoint are still open', async () => {
    await waitFor(
      async () =>
        (await statusesAt('fast')).join() ===
        Array(CHARGES + 2)
          .fill('delivered')
          .join(),
      {
        what: 'charge.created of each charge, and charge.confirmed and charge.settled of one charge',
        timeoutMs: 60_000,
      },
    )
    expect(receivers.fast.requests).to.have.length(CHARGES + 2)
    expect(await statusesAt('silent')).to.not.include('delivered')
  })

  it('are signed with the secret that registration returned', () => {
    for (const { body, headers } of receivers.fast.requests) {
      new Webhook(webhooks.fast.secret).verify(body, headers as Record<string, string>)
      expect(verifyWebhook({ body, headers }, webhooks.fast.secret).id).to.equal(headers['webhook-id'])
    }
  })

  it('send each event at least once, and in order per charge, to every endpoint except the silent one', async () => {
    const expected = [...chargeIds.map((id) => `${id} charge.created`)]
    const paid = chargeIds[0]
    expected.push(`${paid} charge.confirmed`, `${paid} charge.settled`)
    for (const name of ['fast', 'slow', 'mending', 'redirecting', 'endless', 'dropping'] as const) {
      await waitFor(() => firsts(name).length === expected.length, {
        what: `all events at the ${name} endpoint`,
        timeoutMs: 60_000,
      })
      expect(firsts(name), name).to.have.members(expected)
      expect(
        firsts(name).filter((event) => event.startsWith(paid ?? '')),
        name,
      ).to.deep.equal([`${paid} charge.created`, `${paid} charge.confirmed`, `${paid} charge.settled`])
    }
  })

  it('end as delivered or failed, according to each endpoint’s last response', async () => {
    const ends: Record<Exclude<Name, 'silent'>, [string, number | null, number]> = {
      fast: ['delivered', 200, 1],
      slow: ['delivered', 200, 1],
      mending: ['delivered', 200, 5],
      redirecting: ['failed', 302, 5],
      endless: ['delivered', 200, 1],
      dropping: ['failed', null, 5],
    }
    for (const [name, end] of Object.entries(ends) as [
      Exclude<Name, 'silent'>,
      [string, number | null, number],
    ][]) {
      const what = `the deliveries of the ${name} endpoint to be ${end[0]}`
      await waitFor(async () => (await list(webhooks[name].id)).every(({ status }) => status === end[0]), {
        what,
        timeoutMs: 90_000,
        intervalMs: 250,
      })
      for (const { status, responseCode, attempts } of await list(webhooks[name].id)) {
        expect([status, responseCode, attempts], name).to.deep.equal(end)
      }
    }
  })

  it('send the same bytes on every attempt', () => {
    const bodies = new Map<string, Set<string>>()
    for (const request of receivers.mending.requests) {
      bodies.set(idOf(request), (bodies.get(idOf(request)) ?? new Set()).add(request.body))
    }
    expect([...bodies.values()].map(({ size }) => size)).to.deep.equal(Array(CHARGES + 2).fill(1))
  })

  it('appear in health and metrics while they are pending for a silent endpoint', async () => {
    const health = await requireData(api.GET('/v1/health'))
    const metrics = await (await fetch(`${devnet.description.internalUrls.indexer}/metrics`)).text()
    expect(health.pendingWebhooks).to.be.above(0)
    expect(metrics).to.match(/^webhook_deliveries_pending\{[^}]*\} [1-9]/m)
    expect(metrics).to.match(/^charges_quarantined\{[^}]*\} 0$/m)
    expect(metrics).to.match(/^webhook_attempts_total\{[^}]*result="delivered"[^}]*\} [1-9]/m)
  })

  it('are forwarded by svc listen, including events that occurred while the API was down', async () => {
    const machine = await startReceiver()
    const listener = startListener(machine)
    try {
      const secret = await waitFor(async () => /(?<=signing secret {2})\S+/.exec(await listenerLog())?.[0], {
        what: 'svc listen to be connected',
        timeoutMs: 60_000,
      })
      // svc listen also receives the events about the failing endpoints above.
      const heard = () =>
        machine.requests
          .map(({ body, headers }) => verifyWebhook({ body, headers }, secret).event)
          .filter((event) => event.startsWith('charge.'))
      const charge = await createCharge(devnet)
      await waitFor(() => heard().length === 1, { what: 'the first webhook', timeoutMs: 60_000 })
      await devnet.api.kill()
      await pay(devnet, { charge })
      await waitFor(() => hasEvent(charge.id, 'charge.confirmed'), {
        what: 'a confirmation while no listener is connected',
        timeoutMs: 60_000,
      })
      await devnet.api.start()
      await waitFor(() => heard().length === 3, { what: 'the third webhook', timeoutMs: 60_000 })
      expect(heard()).to.deep.equal(['charge.created', 'charge.confirmed', 'charge.settled'])
    } finally {
      await listener.stop()
      await machine.stop()
    }
  })

  function startListener({ url }: Receiver) {
    const { apiUrl, keys } = devnet.description
    return startProgram({
      name: 'svc listen',
      command: process.execPath,
      args: ['dist/api/client/commands/svc.js', 'listen', '--forward-to', url],
      env: { SVC_API_URL: apiUrl, SVC_API_KEY: keys.live },
      cwd: resolve(import.meta.dirname, '../..'),
      logFile: join(directory, 'svc-listen.log'),
    })
  }

  function listenerLog(): Promise<string> {
    return readFile(join(directory, 'svc-listen.log'), 'utf8')
  }

  async function hasEvent(chargeId: string, type: string): Promise<boolean> {
    const rows = await query(
      devnet,
      (sql) => sql`select 1 from events where charge_id = ${chargeId} and type = ${type}`,
    )
    return rows.length > 0
  }

  /** Returns the charge id and type of each event that reached an endpoint, in the order of the first attempts. */
  function firsts(name: Name): string[] {
    const events = receivers[name].requests.map(({ body }) => {
      const { event, data } = JSON.parse(body) as { event: string; data: { id: string } }
      return `${data.id} ${event}`
    })
    return [...new Set(events)]
  }

  async function statusesAt(name: Name): Promise<string[]> {
    return (await list(webhooks[name].id)).map(({ status }) => status)
  }

  async function list(id: string): Promise<readonly Schema<'Delivery'>[]> {
    const params = { path: { id }, query: { limit: 100 } }
    return (await requireData(api.GET('/v1/webhooks/{id}/deliveries', { params }))).data
  }
})

function idOf({ headers }: ReceivedRequest): string {
  return String(headers['webhook-id'])
}
