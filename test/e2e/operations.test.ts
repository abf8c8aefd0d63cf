import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { createApiCaller } from '../devnet/call-api.ts'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { BASE } from '../devnet/networks.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { type ContainerLayout, prepareContainerLayout } from '../support/container-layout.ts'
import { findNamespace } from '../support/find-namespace.ts'
import { installPackages, listUnnamed } from '../support/install-packages.ts'
import { listMetrics, readAlerts, readDashboards } from '../support/metric-names.ts'
import { createCharge, pay, query, waitUntilSettled } from '../support/scenario.ts'
import { type Scrape, scrape } from '../support/scrape.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const isLong = Boolean(process.env['TEST_LONG']) // oxlint-disable-line no-process-env -- the duration is a setting of the run

/** How this machine can isolate processes. */
const namespace = findNamespace()
const held = namespace?.form ?? 'restricted only by file modes, because no namespace can be created here'

describe('the metrics and logs of the processes, end to end', function () {
  this.timeout(300_000)
  let devnet: Devnet
  let directory: string
  let image: ContainerLayout
  let chargeId: string
  let api: Scrape
  let indexer: Scrape

  before(async () => {
    directory = await temporaryDirectory('e2e-operations')
    const packages = isLong ? { packages: installPackages(join(directory, 'packages')) } : {}
    image = prepareContainerLayout({ directory, namespace, ...packages })
    const { confine } = image
    devnet = await startDevnet({ directory, program: 'dist', chains: [BASE], graceSeconds: 1, confine })
    const charge = await createCharge(devnet)
    chargeId = charge.id
    await pay(devnet, { charge })
    await waitUntilSettled(devnet, charge.id)
    indexer = await waitFor(
      async () => {
        const scraped = await scrape(devnet.indexer.internalUrl)
        // A Ponder reports its port once it serves requests, which might be after its first block.
        return scraped.valueOf('ponder_sync_block', {}) !== null && scraped
      },
      { what: 'Ponder’s own metrics among the daemon’s', timeoutMs: 60_000 },
    )
    api = await scrape(devnet.api.internalUrl)
  })

  after(() => devnet?.stop())

  it('show that the head of an indexed chain is recent, and how long a block takes to reach confirmation depth', () => {
    const labels = { chain_id: chainId() }
    expect(indexer.valueOf('feed_head_age_seconds', labels)).to.be.within(0, 120)
    expect(indexer.valueOf('feed_is_stale', labels)).to.equal(0)
    expect(indexer.valueOf('feed_confirmation_seconds', labels)).to.equal(2)
  })

  it('show the delay between the paying block and the confirmation, and no pending, held or failed payouts', () => {
    const labels = { chain_id: chainId() }
    expect(indexer.valueOf('charge_confirmation_lag_seconds_count', labels)).to.equal(1)
    expect(indexer.valueOf('charge_confirmation_lag_seconds_sum', labels)).to.be.within(0.5, 600)
    expect(indexer.valueOf('payouts_oldest_pending_seconds', labels)).to.equal(0)
    expect(indexer.valueOf('payouts_held', labels)).to.equal(0)
    expect(indexer.valueOf('payouts_failed', labels)).to.equal(0)
  })

  it('include the metrics of each chain’s Ponder on the daemon’s port', () => {
    const labels = { chain_id: chainId() }
    expect(indexer.valueOf('ponder_is_up', labels)).to.equal(1)
    expect(indexer.valueOf('ponder_process_resident_memory_bytes', labels)).to.be.above(10_000_000)
    expect(indexer.valueOf('ponder_rpc_request_duration_count', labels)).to.be.above(0)
    expect(indexer.names()).to.include('ponder_rpc_request_error_total')
  })

  it('show the build and the database ping of each process, and the daemon’s wait for database connections', async () => {
    for (const { internalUrl } of [devnet.api, devnet.indexer]) {
      expect((await scrape(internalUrl)).valueOf('build_info', {})).to.equal(1)
      // A scrape waits three seconds at most for the database, so a busy database might need another scrape.
      const answered = async () => (await scrape(internalUrl)).valueOf('database_ping_seconds', {})
      await waitFor(async () => ((await answered()) ?? 3) < 3, {
        ...{ what: 'the database to respond', timeoutMs: 60_000 },
      })
    }
    // The metric counts transactions. The API runs only single statements.
    expect(indexer.valueOf('database_connection_wait_seconds_count', {})).to.be.above(0)
  })

  it('contain no ids of charges, keys, organizations, events or webhooks, and fewer than 1,500 lines per process', () => {
    for (const { text } of [api, indexer]) {
      expect(text).not.to.match(/(ch|key|org|evt|wh)_[0-9a-zA-Z]{8}/)
      expect(text.split('\n').length, 'series').to.be.below(1500)
    }
  })

  it('include every metric that an alert or a dashboard uses', async () => {
    const names = new Set([...api.names(), ...indexer.names(), 'up'])
    for (const { alert, expr } of await readAlerts())
      expect(
        listMetrics(expr).filter((name) => !names.has(name)),
        alert,
      ).to.deep.equal([])
    for (const { panels } of await readDashboards())
      for (const { title, targets } of panels)
        expect(
          targets.flatMap(({ expr }) => listMetrics(expr)).filter((name) => !names.has(name)),
          title,
        ).to.deep.equal([])
  })

  it('show a payment in the logs of both processes under the request id of its charge’s creation', async () => {
    const [made] = await grep('api', chargeId)
    expect(made).to.include({ msg: 'Processed a request', route: '/v1/charges', status: 201 })
    const requestId = String(made?.['request_id'])
    const [asked, ...moved] = [...(await grep('api', requestId)), ...(await grep('indexer', requestId))]
    expect(asked).to.deep.equal(made)
    expect(new Set(moved.map(({ service, msg }) => `${String(service)}: ${String(msg)}`))).to.deep.equal(
      new Set(['indexer: Completed a charge turn']),
    )
    expect(moved[0]).to.include({ status: 'confirmed', charge_id: chargeId })
    expect(moved.at(-1)).to.include({ settlement_status: 'completed', charge_id: chargeId })
    const events = await query(
      devnet,
      (sql) => sql<{ type: string }[]>`select type from events where api_request_id = ${requestId}`,
    )
    expect(events.map(({ type }) => type)).to.deep.equal(['charge.created'])
    const payout = (await grep('indexer', chargeId)).map(({ msg }) => msg)
    expect(payout).to.include.members(['Claimed a payout', 'Signed a distribution'])
  })

  it('show the id of a sandbox request in its database row, in the daemon’s log and in the resulting events', async () => {
    const sandbox = createApiCaller(devnet.description, 'test')
    const body = {
      amount: 10,
      acceptedPayments: [{ token: 'USDC', network: 'base' }],
      expiresIn: 3600,
    } as const
    const { data } = await sandbox.POST('/v1/charges', {
      body: { ...body, acceptedPayments: [...body.acceptedPayments] },
    })
    const { response } = await sandbox.POST('/v1/sandbox/charges/{id}/trigger', {
      params: { path: { id: data?.id ?? '' } },
      body: { event: 'charge.confirmed' },
    })
    const requestId = response.headers.get('request-id') ?? ''
    const rows = await query(
      devnet,
      (sql) => sql<{ of: string }[]>`
        select kind as of from requests where api_request_id = ${requestId}
        union all select type from events where api_request_id = ${requestId}`,
    )
    expect(rows.map(({ of }) => of)).to.have.members(['sandbox_trigger', 'charge.confirmed'])
    expect((await grep('indexer', requestId)).map(({ msg }) => msg)).to.include('Processed a sandbox trigger')
  })

  describe(`two processes with the image’s user, ${held}, ${isLong ? 'with their packages' : 'with all packages'},`, () => {
    if (isLong)
      it('have only packages that the SBOM names, including koa but not mocha', async () => {
        const text = await readFile(join(directory, 'packages/sbom.json'), 'utf8')
        const { components } = JSON.parse(text) as { readonly components: readonly { name: string }[] }
        const names = components.map(({ name }) => name)
        const lockFile = join(directory, 'packages/node_modules/.package-lock.json')
        expect(listUnnamed(lockFile, names)).to.deep.equal([])
        for (const name of ['koa', 'mocha'])
          expect(existsSync(join(directory, 'packages/node_modules', name)), name).to.equal(name === 'koa')
      })

    it('run with the user id of the image and without capabilities', async () => {
      for (const { pid } of [devnet.api, devnet.indexer]) {
        const status = await readFile(`/proc/${pid()}/status`, 'utf8')
        expect(status).to.match(new RegExp(`^Uid:(\\s${image.uid}){4}$`, 'm'))
        expect(status).to.match(/^CapEff:\s0+$/m)
        if (namespace !== null)
          expect(status)
            .to.match(/^CapBnd:\s0+$/m)
            .and.match(/^NoNewPrivs:\s1$/m)
      }
    })

    it('complete a payment, and write only to paths that compose.yaml allows', async () => {
      const written = image.listWritten('indexer', devnet.indexer.pid() ?? 0)
      const besides = written.filter((file) => !file.startsWith('/app/dist/indexer/ponder/.ponder/'))
      expect(besides).to.deep.equal(['/tmp/ponder-env.d.ts'])
      // Only in a namespace do the processes have separate root directories.
      if (namespace !== null) expect(image.listWritten('api', devnet.api.pid() ?? 0)).to.deep.equal([])
      expect(image.canWrite('api', '/tmp')).to.equal(true)
      for (const path of ['/', '/etc', '/usr', '/app', '/app/dist', '/app/dist/indexer/ponder'])
        expect(image.canWrite('indexer', path), path).to.equal(false)
      for (const name of ['api', 'indexer'])
        expect(await readFile(join(directory, `${name}.log`), 'utf8')).not.to.match(/EROFS|EACCES|EPERM/)
    })
  })

  /** Returns the parsed log lines of a process that contain this text. */
  async function grep(service: 'api' | 'indexer', text: string): Promise<readonly Record<string, unknown>[]> {
    const log = await readFile(join(directory, `${service}.log`), 'utf8')
    const lines = log.split('\n').filter((line) => line.includes(text))
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  }

  function chainId(): string {
    return String(devnet.description.networks.base?.live?.chainId)
  }
})
