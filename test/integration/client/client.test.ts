import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { ApiError } from '../../../api/client/api-error.ts'
import { type ApiClient, createApiClient, requireData } from '../../../api/client/client.ts'
import { followCharge } from '../../../api/client/follow-charge.ts'
import { paginate } from '../../../api/client/paginate.ts'
import { SETTLED, waitForCharge } from '../../../api/client/wait-for-charge.ts'
import { checksum } from '../../../shared/domain/address.ts'
import { MERCHANT, startTestApi, type TestApi } from '../../support/api.ts'
import { appendEvent } from '../../support/daemon-rows.ts'
import { holdTimeLimit } from '../../support/hold-time-limit.ts'
import { runClient } from '../../support/run-client.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'

const CHARGE = {
  amount: 10,
  acceptedPayments: [{ token: 'USDC' as const, network: 'base' as const }],
  expiresIn: 600,
}

describe('the client', function () {
  this.timeout(240_000)

  let api: TestApi
  let key: string
  let client: ApiClient

  before(async () => {
    api = await startTestApi()
    ;({ key } = await api.issueKey())
    client = createApiClient({ apiUrl: api.baseUrl, apiKey: key })
  })

  after(() => api?.stop())

  const create = () => requireData(client.POST('/v1/charges', { body: CHARGE }))
  const settle = async (id: string): Promise<void> => {
    await api.owner`
      update charges set status = 'confirmed', settlement_status = 'completed', confirmed_at = now(), settled_at = now()
      where id = ${id}`
    await appendEvent(api.owner, { type: 'charge.settled', category: 'payments', chargeId: id })
  }

  it('throws an ApiError with code, field and request id for a rejected request', async () => {
    const error = await requireData(client.POST('/v1/charges', { body: { ...CHARGE, expiresIn: 1 } })).catch(
      (reason: unknown) => reason,
    )
    expect(error).to.be.instanceOf(ApiError)
    const { status, code, param, requestId, isTransient } = error as ApiError
    expect({ status, code, param, isTransient }).to.deep.equal({
      status: 400,
      code: 'validation_error',
      param: 'expiresIn',
      isTransient: false,
    })
    expect(requestId).to.match(/^[0-9a-f-]{36}$/)
  })

  it('reads all pages of a list', async () => {
    const made = [await create(), await create(), await create()].map(({ id }) => id)
    const listed: string[] = []
    const query = (cursor: string | undefined) => ({ limit: 2, ...(cursor !== undefined && { cursor }) })
    for await (const { id } of paginate((cursor) =>
      requireData(client.GET('/v1/charges', { params: { query: query(cursor) } })),
    )) {
      listed.push(id)
    }
    expect(listed).to.include.members(made)
    expect(new Set(listed)).to.have.property('size', listed.length)
  })

  it('follows a charge until it is settled', async () => {
    const { id } = await create()
    const statuses: string[] = []
    for await (const news of followCharge(client, id)) {
      if (news.kind === 'charge') statuses.push(news.charge.status)
      if (statuses.length === 1) await settle(id)
    }
    expect(statuses).to.deep.equal(['pending', 'confirmed'])
  })

  it('polls if no stream can be opened', async () => {
    const { id } = await create()
    const broken = createApiClient({ apiUrl: api.baseUrl, apiKey: key })
    broken.use({
      onRequest: ({ schemaPath }) =>
        schemaPath === '/v1/charges/{id}/events' ? new Response(null, { status: 502 }) : undefined,
    })
    const statuses: string[] = []
    for await (const news of followCharge(broken, id, { pollMs: 20 })) {
      if (news.kind === 'charge') statuses.push(news.charge.status)
      if (statuses.length === 1) await settle(id)
    }
    expect(statuses).to.deep.equal(['pending', 'confirmed'])
  })

  it('continues to poll after a failed read, but not after two in a row', async () => {
    const { id } = await create()
    const failing = createApiClient({ apiUrl: api.baseUrl, apiKey: key })
    let reads = 0
    let failures = [2, 4]
    failing.use({
      onRequest: ({ schemaPath }) => {
        if (schemaPath === '/v1/charges/{id}') reads += 1
        const isFailed = schemaPath === '/v1/charges/{id}/events' || failures.includes(reads)
        return isFailed ? new Response(null, { status: 503 }) : undefined
      },
    })
    const follow = async () => {
      const statuses: string[] = []
      for await (const news of followCharge(failing, id, { pollMs: 20 })) {
        if (news.kind === 'charge') statuses.push(news.charge.status)
        if (reads === 1) await settle(id)
      }
      return statuses
    }
    expect(await follow()).to.deep.equal(['pending', 'confirmed'])
    ;[reads, failures] = [0, [1, 2]]
    const failure: unknown = await follow().catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(ApiError).and.to.include({ status: 503 })
  })

  it('reports the state of a charge that does not meet the condition in time', async () => {
    const { id } = await create()
    const limit = holdTimeLimit(3_000)
    const condition = { ...SETTLED, timeoutMs: 3_000, onNews: limit.end }
    const waiting = await waitForCharge(client, id, condition).catch(String).finally(limit.release)
    expect(waiting).to.include(
      `timed out after 3000 ms waiting for charge ${id} to be settled: its state is pending`,
    )
  })

  it('does not wait for an unknown charge', async () => {
    const waiting = waitForCharge(client, 'ch_none', { ...SETTLED, timeoutMs: 60_000 })
    expect(((await waiting.catch((error: unknown) => error)) as ApiError).code).to.equal('charge_not_found')
  })

  describe('npm run svc', function () {
    this.timeout(240_000)

    it('creates a charge and prints the command to follow it', async () => {
      const { stdout, exitCode } = await svc(['charges', 'create', '--amount', '10', '--accept', 'USDC@base'])
      const [, id] = /charge {3}(ch_\w+)/.exec(stdout) ?? []
      expect(stdout).to.include('pay      10 USD in USDC on base').and.to.include(`charges watch ${id}`)
      expect(exitCode).to.equal(0)
    })

    it('watches a charge until it is settled, and prints only the result to standard output', async () => {
      const { id } = await create()
      await settle(id)
      const { stdout, stderr, exitCode } = await svc(['charges', 'watch', id])
      expect(stdout).to.equal('confirmed  0 of 10 USD, settlement completed\n')
      expect(stderr).to.equal('waiting for the payout\n')
      expect(exitCode).to.equal(0)
    })

    it('prints a charge, and lists the requested number of charges, even if they fill several pages', async () => {
      const made: { readonly id: string }[] = []
      for (let count = 0; count < 101; count += 1) made.push(await create())
      const got = await svc(['charges', 'get', made[0]?.id ?? ''])
      expect(JSON.parse(got.stdout)).to.include({ id: made[0]?.id, status: 'pending' })
      const { stdout } = await svc(['charges', 'list', '--limit', '101', '--status', 'pending', '--json'])
      const ids = stdout
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { id: string }).id)
      expect(ids).to.have.members(made.map(({ id }) => id))
      const few = await svc(['charges', 'list', '--limit', '2'])
      expect(few.stdout.trim().split('\n')).to.have.length(3)
    })

    it('lists the charges with a reference, and the charges created before a time', async () => {
      const { id, createdAt } = await requireData(
        client.POST('/v1/charges', { body: { ...CHARGE, externalRef: 'order 7' } }),
      )
      const list = async (...filter: string[]) =>
        (await svc(['charges', 'list', '--external-ref', 'order 7', '--json', ...filter])).stdout
      expect(JSON.parse(await list())).to.include({ id, externalRef: 'order 7' })
      expect(await list('--until', createdAt)).to.equal('')
    })

    it('prints the error code or the next step for an invalid key, an unknown charge or a service that does not respond', async () => {
      const wrongKey = await svc(['charges', 'watch', 'ch_none'], { SVC_API_KEY: 'nonsense' })
      expect(wrongKey.stderr).to.include('invalid_api_key').and.to.include('npm run keys')
      const noCharge = await svc(['charges', 'watch', 'ch_none'])
      expect(noCharge.stderr).to.include('charge_not_found')
      const nobody = await svc(['charges', 'create', '--amount', '1', '--accept', 'USDC@base'], {
        SVC_API_URL: 'http://127.0.0.1:1',
      })
      expect(nobody.stderr).to.include('the service does not respond at http://127.0.0.1:1')
      expect([wrongKey.exitCode, noCharge.exitCode, nobody.exitCode]).to.deep.equal([1, 1, 75])
    })

    it('prints help for a command, and explains an invalid argument', async () => {
      const commands = [
        [],
        ['listen'],
        ['charges', 'create'],
        ['charges', 'get'],
        ['charges', 'list'],
        ['charges', 'quote'],
        ['charges', 'watch'],
        ['sandbox', 'trigger'],
      ]
      const helps = await Promise.all(commands.map((command) => svc([...command, '--help'])))
      for (const { stdout, exitCode } of helps) {
        expect(stdout).to.include('  svc ')
        expect(exitCode).to.equal(0)
      }
      const wrong = await svc(['charges', 'create', '--amount', '1', '--accept', 'DAI@base'])
      expect(wrong.stderr).to.include('--accept is "DAI@base"; it must be one of USDC, USDT')
    })
  })

  describe('npm run verify-address', function () {
    this.timeout(240_000)

    it('prints the recipients of a charge’s address', async () => {
      const { stdout, exitCode } = await verifyAddress(await create())
      expect(stdout).to.match(new RegExp(`${checksum(MERCHANT)} +the merchant$`, 'm'))
      expect(exitCode).to.equal(0)
    })

    it('warns and exits with 1 if the charge’s address was changed', async () => {
      const { stdout, stderr, exitCode } = await verifyAddress({ ...(await create()), address: MERCHANT })
      expect(stderr).to.include(
        `DO NOT PAY ${MERCHANT}: address is "${MERCHANT}", but according to the terms it must be 0x`,
      )
      expect({ stdout, exitCode }).to.deep.equal({ stdout: '', exitCode: 1 })
    })

    it('names the missing fields of a file that is not a charge', async () => {
      const { stderr, exitCode } = await verifyAddress({ address: MERCHANT })
      expect(stderr).to.match(/is not a charge: address, addressTerms or splitRecipients is missing/)
      expect(exitCode).to.equal(1)
    })
  })

  async function verifyAddress(charge: unknown) {
    const file = join(await temporaryDirectory('charge'), 'charge.json')
    await writeFile(file, JSON.stringify(charge))
    return runClient('verify-address', ['--charge', file])
  }

  function svc(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    return runClient('svc', args, { SVC_API_URL: api.baseUrl, SVC_API_KEY: key, ...env })
  }
})
