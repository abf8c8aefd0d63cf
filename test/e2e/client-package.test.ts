import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { createContext, runInContext } from 'node:vm'
import { expect } from 'chai'
import { build } from 'esbuild'
import type { Address } from 'viem'
import { createWebhookSecret } from '../../shared/domain/webhook-secret.ts'
import { signAttempt } from '../../shared/domain/webhook-signature.ts'
import type { Devnet } from '../devnet/devnet.ts'
import { LIVE_DEVNET } from '../support/live-devnet.ts'
import { createCharge, pay } from '../support/scenario.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const REPOSITORY = resolve(import.meta.dirname, '../..')
const PACKAGE = join(REPOSITORY, 'dist/client')
const isLong = Boolean(process.env['TEST_LONG']) // oxlint-disable-line no-process-env -- the duration is a setting of the run

describe('the client’s package, installed in an empty directory', function () {
  this.timeout(300_000)

  let devnet: Devnet
  let directory: string
  let tarballBytes: number

  before(async () => {
    ;({ devnet } = await LIVE_DEVNET.of(import.meta.filename))
    directory = await temporaryDirectory('client-package')
    const packed = execFileSync('npm', ['pack', PACKAGE, '--json'], { cwd: directory, encoding: 'utf8' })
    const [tarball] = JSON.parse(packed) as [{ filename: string; size: number }]
    tarballBytes = tarball.size
    await writeFile(join(directory, 'package.json'), '{ "type": "module", "private": true }')
    execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball.filename], {
      cwd: directory,
      stdio: 'pipe',
    })
  })

  it('is the only installed package, and its tarball has at most 500 kB', () => {
    expect(
      readdirSync(join(directory, 'node_modules')).filter((name) => !name.startsWith('.')),
    ).to.deep.equal(['stablecoin-payment-client'])
    expect(tarballBytes).to.be.at.most(500_000)
  })

  it('does not import modules of Node, except in its commands', () => {
    const files = readdirSync(PACKAGE, { recursive: true, encoding: 'utf8' })
    const library = files.filter((file) => file.endsWith('.js') && !file.startsWith('bin/'))
    const users = library.filter((file) =>
      /["'`]node:|\brequire\(/.test(readFileSync(join(PACKAGE, file), 'utf8')),
    )
    expect(users).to.deep.equal([])
  })

  it('adds at most 10 kB to a page or worker that only calls the API', async () => {
    const source = `import { createApiClient } from 'stablecoin-payment-client'; console.log(createApiClient)`
    expect((await bundle(source)).length).to.be.at.most(10_000)
  })

  // Only long runs use both resolutions, because the compiler takes several seconds for each.
  const resolutions: Record<string, string> = isLong
    ? { nodenext: 'nodenext', bundler: 'esnext' }
    : { nodenext: 'nodenext' }
  for (const [moduleResolution, module] of Object.entries(resolutions)) {
    it(`type-checks strictly, its own declarations included, with ${moduleResolution} resolution`, async () => {
      const folder = join(directory, `types-${moduleResolution}`)
      await mkdir(folder)
      await writeFile(join(folder, 'consumer.ts'), TYPED_CONSUMER)
      const compilerOptions = {
        ...{ module, moduleResolution, target: 'es2022', lib: ['es2023', 'dom', 'dom.iterable'], types: [] },
        ...{ strict: true, noEmit: true, skipLibCheck: false },
        ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
      }
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
      const tsc = join(REPOSITORY, 'node_modules/.bin/tsc')
      const check = await promisify(execFile)(tsc, ['-p', folder]).catch((error: { stdout: string }) => error)
      expect(check.stdout).to.equal('')
    })
  }

  it('creates a charge and waits for its payment with the example of its README', async () => {
    const [, example = ''] = /```js\n(.*?)```/s.exec(readFileSync(join(PACKAGE, 'README.md'), 'utf8')) ?? []
    await writeFile(join(directory, 'example.js'), example)
    const run = spawn(process.execPath, ['example.js'], { cwd: directory, env: environment() })
    const lines: string[] = []
    for await (const line of createInterface(run.stdout)) {
      lines.push(line)
      const [, address] = line.split(' ')
      if (lines.length === 1) await pay(devnet, { charge: { address: address as Address } })
    }
    if (run.exitCode === null) await once(run, 'exit')
    expect(lines.at(-1)).to.equal('confirmed 10')
  })

  it('creates, follows, lists, awaits and exports a charge and verifies a webhook in a worker without Node’s globals', async () => {
    const { apiUrl, keys } = devnet.description
    const secret = createWebhookSecret()
    const body = '{"id":"evt_1","event":"charge.settled"}'
    const headers = signAttempt({ id: 'evt_1', body, timestamp: Math.floor(Date.now() / 1000) }, [secret])
    const task = { apiUrl, apiKey: keys.test, period: aroundNow(), delivery: { body, headers }, secret }
    const context = createContext({ ...WORKER_GLOBALS, task })
    runInContext(await bundle(WORKER_CONSUMER), context)
    expect(await (context['result'] as Promise<unknown>)).to.deep.equal({
      listed: true,
      followed: 'pending',
      waited: 'confirmed',
      exported: ['payment', 'sale'],
      event: 'charge.settled',
    })
  })

  it('has the commands svc and svc-verify-address, which checks an address offline', async () => {
    const charge = await createCharge(devnet)
    const svc = (...args: string[]) => promisify(execFile)(command('svc'), args, { env: environment() })
    expect((await svc('charges', 'list', '--limit', '5')).stdout).to.include(charge.id)
    const { from, to } = aroundNow()
    const output = join(directory, 'books.csv')
    await svc('accounting', 'export', '--from', from, '--to', to, '--output', output)
    // The payment of the README's example in an earlier test.
    expect(readFileSync(output, 'utf8')).to.include(',Assets:Clearing,10.000000,USDC,')
    const { stdout } = await svc('charges', 'get', charge.id)
    await writeFile(join(directory, 'charge.json'), stdout)
    const check = await promisify(execFile)(command('svc-verify-address'), [
      ...['--charge', join(directory, 'charge.json')],
    ])
    expect(check.stdout).to.include(`${charge.address} is the address of these terms`)
  })

  it('shows the help of svc within 300 ms of CPU time', async () => {
    const report = `process.on('exit', () => console.error(process.cpuUsage().user + process.cpuUsage().system))`
    const times: number[] = []
    // On a busy machine, a run can take longer, but not the fastest of five runs.
    while (times.length < 5) {
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [
        ...['--import', `data:text/javascript,${encodeURIComponent(report)}`, command('svc'), '--help'],
      ])
      expect(stdout).to.include('svc charges list')
      times.push(Number(stderr))
    }
    expect(Math.min(...times)).to.be.within(1, 300_000)
  })

  function aroundNow(): { readonly from: string; readonly to: string } {
    const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
    return { from: at(-1), to: at(2) }
  }

  /** Returns the path of a command as npm installed it. */
  function command(name: string): string {
    return join(directory, 'node_modules/.bin', name)
  }

  function environment(): NodeJS.ProcessEnv {
    const { apiUrl, keys } = devnet.description
    return { PATH: process.env['PATH'], SVC_API_URL: apiUrl, SVC_API_KEY: keys.live } // oxlint-disable-line no-process-env -- of the child
  }

  /** Bundles a script for a browser or worker, as a consumer would. */
  async function bundle(source: string): Promise<string> {
    const { outputFiles } = await build({
      stdin: { contents: source, resolveDir: directory },
      ...{ bundle: true, minify: true, write: false, platform: 'browser', format: 'iife', target: 'es2022' },
    })
    return outputFiles[0]?.text ?? ''
  }
})

/** Globals that exist both in browsers and in workers. */
const WORKER_GLOBALS = {
  ...{ fetch, Request, Response, Headers, FormData, URL, URLSearchParams, AbortController, AbortSignal },
  ...{ TextEncoder, TextDecoder, ReadableStream, setTimeout, clearTimeout, atob, btoa, crypto },
}

const WORKER_CONSUMER = `
import { createApiClient, requireData } from 'stablecoin-payment-client'
import { exportEntries } from 'stablecoin-payment-client/export-entries'
import { followCharge } from 'stablecoin-payment-client/follow-charge'
import { paginate } from 'stablecoin-payment-client/paginate'
import { verifyWebhook } from 'stablecoin-payment-client/verify-webhook'
import { CONFIRMED, waitForCharge } from 'stablecoin-payment-client/wait-for-charge'

async function run({ apiUrl, apiKey, period, delivery, secret }) {
  const api = createApiClient({ apiUrl, apiKey })
  const acceptedPayments = [{ token: 'USDC', network: 'base' }]
  const { id } = await requireData(api.POST('/v1/charges', { body: { amount: 10, expiresIn: 600, acceptedPayments } }))
  let listed = false
  for await (const charge of paginate((cursor) => requireData(api.GET('/v1/charges', { params: { query: cursor ? { cursor } : {} } })))) {
    if (charge.id === id) { listed = true; break }
  }
  let followed
  for await (const news of followCharge(api, id)) { followed = news.charge.status; break }
  await requireData(api.POST('/v1/sandbox/charges/{id}/trigger', { params: { path: { id } }, body: { event: 'charge.confirmed' } }))
  const { status: waited } = await waitForCharge(api, id, { ...CONFIRMED, timeoutMs: 60_000 })
  let books = ''
  for await (const { text } of exportEntries(api, { ...period, format: 'json' })) books += text
  const entries = books.trim().split('\\n').map((line) => JSON.parse(line)).filter((leg) => leg.chargeId === id && leg.leg === 1)
  const exported = entries.map(({ category }) => category).sort()
  return { listed, followed, waited, exported, event: verifyWebhook(delivery, secret).event }
}
globalThis.result = run(globalThis.task)
`

const TYPED_CONSUMER = `
import { createApiClient, requireData, type ApiClient } from 'stablecoin-payment-client'
import { ApiError } from 'stablecoin-payment-client/api-error'
import type { components, paths } from 'stablecoin-payment-client/api-types'
import { checkAddress } from 'stablecoin-payment-client/check-address'
import { checkAuthorization } from 'stablecoin-payment-client/check-authorization'
import { exportEntries } from 'stablecoin-payment-client/export-entries'
import { followCharge } from 'stablecoin-payment-client/follow-charge'
import { listenToEvents } from 'stablecoin-payment-client/listen'
import { paginate } from 'stablecoin-payment-client/paginate'
import { payBySignature } from 'stablecoin-payment-client/pay-by-signature'
import { payWithSwap } from 'stablecoin-payment-client/pay-with-swap'
import { readCheckedCharge } from 'stablecoin-payment-client/read-checked-charge'
import { verifyWebhook } from 'stablecoin-payment-client/verify-webhook'
import { SETTLED, waitForCharge } from 'stablecoin-payment-client/wait-for-charge'

const api: ApiClient = createApiClient({ apiUrl: 'https://pay.example', apiKey: 'svc_test_1' })
type Charge = components['schemas']['Charge']
const expiresIn = 600
const charge: Charge = await requireData(
  api.POST('/v1/charges', { body: { amount: 10, expiresIn, acceptedPayments: [{ token: 'USDC', network: 'base' }] } }),
)
// @ts-expect-error -- there is no such network
api.POST('/v1/charges', { body: { amount: 10, expiresIn, acceptedPayments: [{ token: 'USDC', network: 'bas' }] } })
for await (const { id } of paginate((cursor) => requireData(api.GET('/v1/charges', { params: { query: cursor === undefined ? {} : { cursor } } })))) id.trim()
const headers = { 'Idempotency-Key': 'order-1' }
api.POST('/v1/charges', { params: { header: headers }, body: { amount: 10, expiresIn, acceptedPayments: [] } })
api.GET('/v1/charges', { params: { query: { externalRef: 'order 1', until: '2026-12-01T00:00:00Z' } } })
api.GET('/v1/recipients/{id}', { params: { path: { id: 'rc_1' } } })
for await (const news of followCharge(api, charge.id)) if (news.kind === 'charge') news.charge.status
for await (const item of listenToEvents(api)) if (item.kind === 'ready') item.secret.trim()
for await (const part of exportEntries(api, { from: '2026-11-01', to: '2026-12-01', format: 'hledger' })) part.text.trim()
const settled: Charge = await waitForCharge(api, charge.id, { ...SETTLED, timeoutMs: 1000 })
const event = verifyWebhook({ body: '{}', headers: {} }, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=')
event.id.trim()
checkAddress(settled)[0]?.who.trim()
const isTransient = (error: unknown): boolean => error instanceof ApiError && error.isTransient
export { checkAuthorization, isTransient, payBySignature, payWithSwap, readCheckedCharge }
export type { paths }
`
