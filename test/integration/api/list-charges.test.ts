import { expect } from 'chai'
import { startTestApi, type TestApi } from '../../support/api.ts'
import { call, expectError } from '../../support/call-route.ts'

const CHARGE = { amount: 10, acceptedPayments: [{ token: 'USDC', network: 'base' }], expiresIn: 600 }

describe('GET /v1/charges', () => {
  let api: TestApi
  let key: string
  /** Ids of the tenant's charges, newest first. */
  let ids: string[]

  before(async () => {
    api = await startTestApi()
    ;({ key } = await api.issueKey())
    ids = []
    for (let index = 0; index < 25; index += 1) ids.unshift(await create(key))
    const foreign = await api.issueKey({ organization: 'org_two' })
    const test = await api.issueKey({ environment: 'test' })
    await create(foreign.key)
    await create(test.key)
  })
  after(() => api.stop())

  async function create(withKey: string): Promise<string> {
    return (await call(api, 'POST /v1/charges', { key: withKey, body: CHARGE })).body.id
  }
  const list = (query = '', withKey = key) => call(api, `GET /v1/charges${query}`, { key: withKey })
  const idsOf = (body: { data: { id: string }[] }): string[] => body.data.map(({ id }) => id)

  /** Reads all pages of a filter, and returns the ids of their charges. */
  async function listAll(filter: string, limit: number): Promise<string[]> {
    const found: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const { body } = await list(`?${filter}&limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`)
      found.push(...idsOf(body))
      expect(body.hasMore).to.equal(body.nextCursor !== null)
      cursor = body.nextCursor
    }
    return found
  }

  it("returns the tenant's own charges, newest first, 20 per page", async () => {
    const { body } = await list()
    expect(idsOf(body)).to.deep.equal(ids.slice(0, 20))
    expect(body.hasMore).to.equal(true)
    const next = await list(`?cursor=${body.nextCursor}`)
    expect(idsOf(next.body)).to.deep.equal(ids.slice(20))
    expect(next.body).to.include({ hasMore: false, nextCursor: null })
  })

  it('returns hasMore: false for a full last page', async () => {
    expect((await list('?limit=25')).body).to.include({ hasMore: false, nextCursor: null })
  })

  it('ends a page early at the size limit, and puts a charge above that limit on its own page', async () => {
    const large = await api.issueKey({ organization: 'org_large' })
    const made: string[] = []
    for (let index = 0; index < 5; index += 1) made.unshift(await create(large.key))
    const text = (bytes: number) => JSON.stringify({ a: 'x'.repeat(bytes) })
    await api.owner`update charges set metadata = ${text(400_000)} where id = any (${made})`
    await api.owner`update charges set metadata = ${text(2_000_000)} where id = ${made[2] ?? ''}`
    const pages: string[][] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await list(`?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`, large.key)
      expect(body.hasMore).to.equal(body.nextCursor !== null)
      pages.push(idsOf(body))
      cursor = body.nextCursor
    }
    expect(pages).to.deep.equal([made.slice(0, 2), made.slice(2, 3), made.slice(3)])
  })

  it('returns each charge once, even with equal timestamps and while new charges are created', async () => {
    await api.owner`update charges set created_at = '2026-01-01T00:00:00.123456Z' where id = any (${ids.slice(5, 15)})`
    const tied = ids.slice(5, 15).toSorted().toReversed()
    const old = [...ids.slice(0, 5), ...ids.slice(15), ...tied]
    const first = await list('?limit=3')
    const newer = await create(key)
    const rest: string[] = []
    let { nextCursor } = first.body
    while (nextCursor !== null) {
      const { body } = await list(`?limit=3&cursor=${nextCursor}`)
      rest.push(...idsOf(body))
      nextCursor = body.nextCursor
    }
    expect([...idsOf(first.body), ...rest]).to.deep.equal(old)
    ids = [newer, ...old]
  })

  it('filters by status', async () => {
    const expired = [ids[3], ids[7], ids[20]]
    await api.owner`update charges set status = 'expired' where id = any (${expired as string[]})`
    expect(await listAll('status=expired', 2)).to.deep.equal(expired)
    expect(await listAll('status=confirmed', 2)).to.deep.equal([])
  })

  it('filters by the paid pair, token and network, and returns each charge once', async () => {
    const [both = '', bnb = ''] = [ids[2], ids[9]]
    // One update per credit, as the daemon writes it.
    for (const [id, paidWith] of [
      [both, ['USDC/base']],
      [both, ['USDC/base', 'USDT/base']],
      [bnb, ['USDT/bnb']],
    ] as const)
      await api.owner`update charges set paid_with = ${paidWith as unknown as string[]} where id = ${id}`
    expect(await listAll('network=base', 1)).to.deep.equal([both])
    expect(await listAll('token=USDT', 1)).to.deep.equal([both, bnb])
    expect(await listAll('token=USDC&network=base', 1)).to.deep.equal([both])
    expect(await listAll('token=USDC&network=bnb', 1)).to.deep.equal([])
    expect(await listAll('token=USDT&status=expired', 1)).to.deep.equal([])
    await api.owner`update charges set status = 'underpaid' where id = ${both}`
    expect(await listAll('token=USDT&status=underpaid', 1)).to.deep.equal([both])
    expect(await listAll('token=USDT&status=pending', 1)).to.deep.equal([bnb])
    expect(await listAll('token=USDT', 1)).to.deep.equal([both, bnb])
  })

  it('filters by overpayment', async () => {
    const over = ids[4] ?? ''
    await api.owner`update charges set received_atto = 10000000000000000001 where id = ${over}`
    expect(await listAll('isOverpaid=true', 5)).to.deep.equal([over])
    expect(await listAll('isOverpaid=false', 5)).to.deep.equal(ids.filter((id) => id !== over))
  })

  it('filters by an inclusive start time', async () => {
    const { body } = await list('?limit=3')
    const since = encodeURIComponent(body.data[2].createdAt)
    const found = await listAll(`since=${since}`, 2)
    expect(found.slice(0, 3)).to.deep.equal(ids.slice(0, 3))
    expect(found).not.to.include(ids.at(-1))
    expect(await listAll('since=2999-01-01', 2)).to.deep.equal([])
    expect(await listAll('since=0000-01-01T00:00:00Z', 100)).to.deep.equal(ids)
  })

  it('filters by an exclusive end time', async () => {
    const { body } = await list('?limit=3')
    const until = encodeURIComponent(body.data[2].createdAt)
    const found = await listAll(`until=${until}`, 7)
    expect(found).to.deep.equal(ids.slice(3))
    expect(await listAll(`since=${until}`, 7)).to.deep.equal(ids.slice(0, 3))
    expect(await listAll('until=1999-01-01', 2)).to.deep.equal([])
  })

  it('finds the charges of an exact externalRef over several pages, combined with other filters', async () => {
    const { key: own } = await api.issueKey({ organization: 'org_references' })
    const make = async (externalRef: string): Promise<string> =>
      (await call(api, 'POST /v1/charges', { key: own, body: { ...CHARGE, externalRef } })).body.id
    const [one, , three] = [await make('order/1'), await make('order/10'), await make('order/1')]
    const find = async (query: string) => idsOf((await list(`?externalRef=order%2F1${query}`, own)).body)
    expect(await find('')).to.deep.equal([three, one])
    const { body } = await list('?externalRef=order%2F1&limit=1', own)
    expect(await find(`&limit=1&cursor=${body.nextCursor}`)).to.deep.equal([one])
    expectError(
      await list(`?externalRef=order&cursor=${body.nextCursor}`, own),
      '400 validation_error',
      'cursor',
    )
    await api.owner`update charges set paid_with = '{USDC/base}' where id = ${one}`
    expect(await find('&token=USDC&network=base')).to.deep.equal([one])
    expect(await find('&token=USDT')).to.deep.equal([])
    expect(await find('&status=expired')).to.deep.equal([])
    expect(idsOf((await list('?externalRef=order%2F1')).body)).to.deep.equal([])
  })

  it("accepts only the key's own environment", async () => {
    expect(idsOf((await list('?environment=live')).body)).to.deep.equal(ids.slice(0, 20))
    expectError(await list('?environment=test'), '422 environment_mismatch', 'environment')
    expectError(await list('?environment=test&since=x'), '400 validation_error', 'since')
    expectError(await list('?environment=test&cursor=x'), '400 validation_error', 'cursor')
  })

  for (const [query, param] of [
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=x', 'limit'],
    ['status=paid', 'status'],
    ['token=DAI', 'token'],
    ['network=solana', 'network'],
    ['isOverpaid=1', 'isOverpaid'],
    ['since=yesterday', 'since'],
    ['until=tomorrow', 'until'],
    ['externalRef=', 'externalRef'],
    [`externalRef=${'a'.repeat(256)}`, 'externalRef'],
    ['since=2026-02-31T00:00:00Z%00', 'since'],
    ['cursor=abc', 'cursor'],
    [`cursor=${'a'.repeat(501)}`, 'cursor'],
    ['page=2', 'page'],
  ] as const) {
    it(`rejects ${query.slice(0, 40)}`, async () => {
      expectError(await list(`?${query}`), '400 validation_error', param)
    })
  }

  it('rejects a cursor with another filter or for another organization', async () => {
    const foreign = await api.issueKey({ organization: 'org_two' })
    const { nextCursor } = (await list('?limit=1')).body
    expectError(await list(`?limit=1&status=pending&cursor=${nextCursor}`), '400 validation_error', 'cursor')
    expectError(await list(`?limit=1&cursor=${nextCursor}`, foreign.key), '400 validation_error', 'cursor')
  })
})
