import { rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect } from 'chai'
import { requireData } from '../../api/client/client.ts'
import { createApiCaller } from '../devnet/call-api.ts'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { type RunningPostgres, startPostgres } from '../devnet/embedded-postgres.ts'
import { BASE } from '../devnet/networks.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { createBaseCopy } from '../support/base-copy.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { runToEnd } from '../support/run-to-end.ts'
import {
  createCharge,
  expectPaidOnce,
  getCharge,
  listDistributions,
  pay,
  query,
  SETTLED_WITHIN_MS,
  waitUntilSettled,
} from '../support/scenario.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const CHARGES_COMMAND = resolve(import.meta.dirname, '../../dist/indexer/commands/charges.js')

type Told = { readonly id: string; readonly event: string; readonly data: { readonly id: string } }

describe('a database restored from a base backup, end to end', function () {
  this.timeout(600_000)
  let devnet: Devnet
  let directory: string
  let receiver: Receiver
  let restored: RunningPostgres | null = null
  const copies: string[] = []

  before(async () => {
    directory = await temporaryDirectory('e2e-restore')
    devnet = await startDevnet({ directory, program: 'dist', chains: [BASE], graceSeconds: 1 })
    receiver = await startReceiver()
    const body = { url: receiver.url, eventCategories: ['payments' as const] }
    await requireData(createApiCaller(devnet.description).POST('/v1/webhooks', { body }))
  })

  after(async () => {
    await Promise.all([devnet?.indexer.stop(), devnet?.api.stop()])
    await restored?.stop()
    for (const path of copies) await rm(path, { recursive: true, force: true })
    await devnet?.stop()
    await receiver?.stop()
  })

  it('shows a settled charge unchanged, credits a payment made during the restore once, and creates no event twice', async () => {
    const [settled, open] = [await createCharge(devnet), await createCharge(devnet)]
    await pay(devnet, { charge: settled })
    await waitUntilSettled(devnet, settled.id)
    await waitForEvents(settled.id, ['charge.created', 'charge.confirmed', 'charge.settled'])
    const before = await getCharge(devnet, settled.id)
    await Promise.all([devnet.indexer.stop(), devnet.api.stop()])
    await restore(await copy('same-point'))
    // Paid while our processes do not run.
    await pay(devnet, { charge: open })
    await Promise.all([devnet.indexer.start(), devnet.api.start()])
    expect(await getCharge(devnet, settled.id)).to.deep.equal(before)
    await waitUntilSettled(devnet, open.id)
    for (const charge of [settled, open]) await expectPaidOnce(devnet, charge)
    await waitForEvents(open.id, ['charge.created', 'charge.confirmed', 'charge.settled'])
    for (const { id } of [settled, open]) {
      const events = toldOf(id)
      expect(new Set(events.map((told) => told.id)).size, 'by event id').to.equal(3)
    }
  })

  it('credits and pays out nothing twice if the backup lacks a payout and a charge, which is then imported from a webhook', async () => {
    const known = await createCharge(devnet)
    const older = await copy('older-point')
    const unknown = await createCharge(devnet)
    await waitForEvents(unknown.id, ['charge.created'])
    await pay(devnet, { charge: known })
    await waitUntilSettled(devnet, known.id)
    await Promise.all([devnet.indexer.stop(), devnet.api.stop()])
    await restore(older)
    await pay(devnet, { charge: unknown })
    await Promise.all([devnet.indexer.start(), devnet.api.start()])

    await waitUntilSettled(devnet, known.id) // From chain data, because the backup lacks the distribution.
    expect(await listDistributions(devnet, known), 'paid out once').to.have.length(1)
    const path = { params: { path: { id: unknown.id } } }
    expect(
      (await createApiCaller(devnet.description).GET('/v1/charges/{id}', path)).response.status,
    ).to.equal(404)

    const imported = await bringBack(unknown.id, known.apiKeyId ?? '')
    expect(imported.output + imported.error).to.include(`${unknown.id} is there again`)
    const back = await waitUntilSettled(devnet, unknown.id)
    expect(back).to.deep.include({
      address: unknown.address,
      amountReceivedExact: '10',
      createdAt: unknown.createdAt,
    })
    await expectPaidOnce(devnet, unknown)
    await waitForEvents(unknown.id, ['charge.created', 'charge.confirmed', 'charge.settled'])
    const created = toldOf(unknown.id).filter(({ event }) => event === 'charge.created')
    expect(created, 'charge.created is sent once').to.have.length(1)
  })

  /** Creates a base backup next to the server's files, where the server's user can read the backup. */
  async function copy(name: string): Promise<string> {
    const server = restored ?? devnet.postgres.server
    const target = `${server.dataDirectory}-${name}`
    copies.push(target)
    await createBaseCopy(server, target)
    return target
  }

  /** Stops the server, and starts another server from a backup on the same port. */
  async function restore(dataDirectory: string): Promise<void> {
    const { port } = devnet.postgres.server
    if (restored) await restored.stop()
    else await devnet.postgres.kill()
    restored = await waitFor(() => startPostgres({ dataDirectory, port, fsync: false }), {
      what: 'the copy to start',
      timeoutMs: 60_000,
      intervalMs: 200,
    })
  }

  async function bringBack(id: string, keyId: string) {
    const file = join(directory, 'told.json')
    await writeFile(file, JSON.stringify(toldOf(id)[0]))
    return runToEnd(CHARGES_COMMAND, ['import', file, '--key', keyId], {
      OPERATOR_DATABASE_URL: devnet.databaseUrls.operator,
      TREASURY_ADDRESS: devnet.description.accounts.treasury.address,
    })
  }

  /** Returns the charge's events from the received webhooks, without duplicates. */
  function toldOf(chargeId: string): readonly Told[] {
    const told = receiver.requests.map(({ body }) => JSON.parse(body) as Told)
    const ofCharge = told.filter(({ data }) => data.id === chargeId)
    return [...new Map(ofCharge.map((event) => [event.id, event])).values()]
  }

  async function waitForEvents(chargeId: string, events: readonly string[]): Promise<void> {
    const isTold = () => events.every((event) => toldOf(chargeId).some((told) => told.event === event))
    await waitFor(isTold, { what: `webhooks of ${events.join()}`, timeoutMs: SETTLED_WITHIN_MS })
    await query(devnet, (sql) =>
      waitFor(async () => (await sql`select from deliveries where status = 'pending'`).length === 0, {
        what: 'every delivery to be recorded as delivered',
        timeoutMs: SETTLED_WITHIN_MS,
      }),
    )
  }
})
