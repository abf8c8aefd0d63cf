import { expect } from 'chai'
import { checksum } from '../../../shared/domain/address.ts'
import { formatTronAddress } from '../../../shared/domain/chain-families/tron/address.ts'
import { micro } from '../../../shared/domain/money.ts'
import type { Scope } from '../../../shared/domain/scope.ts'
import { address, startTestApi, type TestApi } from '../../support/api.ts'
import { call, expectError } from '../../support/call-route.ts'
import { insertChargeRows } from '../../support/charge-rows.ts'
import { buildCharge } from '../../support/factories.ts'

const DISTRIBUTOR = address('0x00000000000000000000000000000000000d1570')
const JULY = { field: 'createdAt', from: '2026-07-01T00:00:00Z', to: '2026-08-01T00:00:00Z' }
const COUNT = { aggregation: 'count' }
const VOLUME = { aggregation: 'sum', field: 'amount', alias: 'volume' }
const QUERY = { resource: 'charges', dateRange: JULY, metrics: [COUNT] }

type Case = readonly [reason: string, changes: object, param: string]

describe('POST /v1/metrics/query', () => {
  let api: TestApi
  let key: string

  before(async () => {
    api = await startTestApi({ RATE_LIMIT_METRICS_PER_MINUTE: '100000' })
    ;({ key } = await api.issueKey({ scopes: ['metrics:read'] }))
    await api.issueKey({ organization: 'org_two' })
    await insertChargeRows(api.owner, [
      charge({ createdAt: '2026-07-01T00:00:00.000Z', amount: '0.1' }),
      charge({ createdAt: '2026-07-01T23:59:59.999Z', amount: '0.2', externalRef: 'order 1' }),
      charge({ createdAt: '2026-07-03T12:00:00.000Z', amount: '99999999999.123456' }),
      charge({ createdAt: '2026-08-01T00:00:00.000Z', amount: '1' }),
      charge({ createdAt: '2026-07-02T12:00:00.000Z', amount: '1', organizationId: 'org_two' }),
      charge({ createdAt: '2026-07-02T12:00:00.000Z', amount: '1', environment: 'test' }),
    ])
  })
  after(() => api.stop())

  const query = (changes: object, withKey = key) =>
    call(api, 'POST /v1/metrics/query', { key: withKey, body: { ...QUERY, ...changes } })
  const keyWith = async (scopes: readonly Scope[], organization = 'org_one') =>
    (await api.issueKey({ scopes, organization })).key

  it('returns one row per bucket, with each sum as a number and as exact text', async () => {
    const groupBy = [{ type: 'date_bucket', field: 'createdAt', granularity: 'day' }]
    const { body } = await query({ groupBy, metrics: [VOLUME, COUNT] })
    expect(body).to.deep.equal({
      data: [
        { createdAt: '2026-07-01', volume: 0.3, volumeExact: '0.3', count: 2 },
        { createdAt: '2026-07-03', volume: 99999999999.12346, volumeExact: '99999999999.123456', count: 1 },
      ],
      meta: { resource: 'charges', environment: 'live', rowCount: 2, truncated: false },
    })
  })

  it('returns a distributor in its chain’s format, and separates an EVM address from the TRON address of the same bytes', async () => {
    const keyOfThree = await keyWith(['metrics:read'], 'org_three')
    const made = charge({ createdAt: '2026-07-02T12:00:00.000Z', amount: '1', organizationId: 'org_three' })
    await insertChargeRows(api.owner, [made])
    await api.owner`
      insert into deployments (chain_id, network, environment, family, confirmations, block_time_ms)
      values (728126428, 'tron', 'live', 'tron', 19, 3000)`
    for (const [network, token, chainId] of [
      ['base', 'USDC', 8453],
      ['tron', 'USDT', 728126428],
    ] as const) {
      await api.owner`
        insert into charge_ledgers (charge_id, network, token, chain_id, token_address)
        values (${made.id}, ${network}, ${token}, ${chainId}, ${DISTRIBUTOR})`
      await api.owner`
        insert into payouts (charge_id, organization_id, environment, network, token, chain_id, token_address,
          split_address, status, grace_ends_at, next_attempt_at, completed_at, distributor_address, created_at)
        values (${made.id}, 'org_three', 'live', ${network}, ${token}, ${chainId}, ${DISTRIBUTOR}, ${DISTRIBUTOR},
          'completed', now(), now(), now(), ${DISTRIBUTOR}, '2026-07-02')`
    }
    const distributions = {
      resource: 'distributions',
      groupBy: [{ type: 'field', field: 'distributorAddress' }],
    }
    const [onBase, onTron] = [checksum(DISTRIBUTOR), formatTronAddress(DISTRIBUTOR)]
    expect((await query(distributions, keyOfThree)).body.data).to.deep.equal([
      { distributorAddress: onBase, count: 1 },
      { distributorAddress: onTron, count: 1 },
    ])
    for (const value of [onBase, onTron]) {
      const filters = [{ field: 'distributorAddress', operator: 'eq', value }]
      const { body } = await query({ ...distributions, filters }, keyOfThree)
      expect(body.data).to.deep.equal([{ distributorAddress: value, count: 1 }])
    }
  })

  it('returns one row if the query has no groups, even for a month without data', async () => {
    const dateRange = { field: 'settledAt', from: '2020-01-01', to: '2020-02-01' }
    const metrics = [
      COUNT,
      VOLUME,
      { aggregation: 'avg', field: 'amount' },
      { aggregation: 'p50', field: 'feePercent' },
    ]
    const { body } = await query({ dateRange, metrics })
    expect(body.data).to.deep.equal([
      {
        count: 0,
        volume: 0,
        volumeExact: '0',
        avg_amount: null,
        avg_amountExact: null,
        p50_feePercent: null,
      },
    ])
  })

  it('returns percentiles that occur in the rows, and an exact average', async () => {
    const dateRange = { ...JULY, to: '2026-07-03T00:00:00Z' }
    const metrics = ['p50', 'p90', 'avg'].map((aggregation) => ({
      aggregation,
      field: 'feeAmount',
      alias: aggregation,
    }))
    const { body } = await query({ dateRange, metrics })
    expect(body.data[0]).to.include({ p50Exact: '0.001', p90Exact: '0.002', avgExact: '0.0015' })
  })

  it('orders by a column, reports that the limit omits rows, and fills empty buckets on request', async () => {
    const groupBy = [{ type: 'date_bucket', field: 'createdAt', granularity: 'day' }]
    const orderBy = { key: 'volumeExact', direction: 'desc' }
    const top = await query({ groupBy, metrics: [VOLUME], orderBy, limit: 1 })
    expect(top.body.data).to.have.lengthOf(1)
    expect(top.body.data[0].createdAt).to.equal('2026-07-03')
    expect(top.body.meta).to.include({ rowCount: 1, truncated: true })
    const filled = await query({ groupBy, fill: true })
    expect(filled.body.data).to.have.lengthOf(31)
    expect(filled.body.data[1]).to.deep.equal({ createdAt: '2026-07-02', count: 0 })
  })

  it('compares numbers with the exact decimals of the body, and treats null as a value', async () => {
    const amount = (text: string) =>
      JSON.stringify({ ...QUERY, filters: [{ field: 'amount', operator: 'in', value: 'VALUE' }] }).replace(
        '"VALUE"',
        text,
      )
    const exact = await call(api, 'POST /v1/metrics/query', {
      key,
      text: amount('[ 1e-1,99999999999.123456 ]'),
    })
    expect(exact.body.data[0].count).to.equal(2)
    const near = await call(api, 'POST /v1/metrics/query', { key, text: amount('[99999999999.1234561]') })
    expect(near.body.data[0].count).to.equal(0)
    const none = await query({ filters: [{ field: 'externalRef', operator: 'eq', value: null }] })
    expect(none.body.data[0].count).to.equal(2)
    const others = await query({ filters: [{ field: 'externalRef', operator: 'neq', value: 'order 2' }] })
    expect(others.body.data[0].count).to.equal(3)
  })

  it('allows a narrower scope to query only its own resource', async () => {
    const narrow = await keyWith(['metrics:transactions:read'])
    const dateRange = { ...JULY, field: 'detectedAt' }
    expect((await query({ resource: 'transactions', dateRange }, narrow)).body.data).to.deep.equal([
      { count: 0 },
    ])
    const refused = await query({}, narrow)
    expectError(refused, '403 insufficient_scope')
    expect(refused.headers.get('www-authenticate')).to.contain('scope="metrics:read"')
    const none = await call(api, 'POST /v1/metrics/query', { key: await keyWith(['charges:read']), body: {} })
    expectError(none, '403 insufficient_scope')
  })

  it('rejects the other environment, but reports validation errors first', async () => {
    expect((await query({ environment: 'live' })).status).to.equal(200)
    expectError(await query({ environment: 'test' }), '422 environment_mismatch', 'environment')
    expectError(await query({ environment: 'test', limit: 0 }), '400 validation_error', 'limit')
  })

  it('aborts a query that takes too long', async () => {
    const hasty = await api.startAnother((config) => ({ ...config, metricsTimeoutMs: 100 }))
    try {
      await api.owner.begin(async (db) => {
        await db`lock table charges in access exclusive mode`
        const answer = await call({ ...api, ...hasty }, 'POST /v1/metrics/query', { key, body: QUERY })
        expectError(answer, '422 query_too_expensive')
      })
    } finally {
      await hasty.stop()
    }
  })

  it('allows 60 queries a minute per organization', async () => {
    const strict = await startTestApi()
    try {
      const keys = [
        await strict.issueKey({ scopes: ['metrics:read'] }),
        await strict.issueKey({ scopes: ['metrics:read'] }),
      ]
      const ask = (at: number) =>
        call(strict, 'POST /v1/metrics/query', { key: keys[at % 2]?.key ?? '', body: QUERY })
      const answers = await Promise.all(Array.from({ length: 61 }, (_, at) => ask(at)))
      const refused = answers.filter(({ status }) => status !== 200)
      expect(refused).to.have.lengthOf(1)
      for (const answer of refused) {
        expectError(answer, '429 rate_limited')
        expect(Number(answer.headers.get('retry-after'))).to.be.within(1, 60)
      }
    } finally {
      await strict.stop()
    }
  })

  const bucket = (field: string, granularity?: string) => ({
    type: 'date_bucket',
    field,
    ...(granularity && { granularity }),
  })
  const by = (field: string) => ({ type: 'field', field })
  const where = (field: string, operator: string, value: unknown) => ({
    filters: [{ field, operator, value }],
  })
  const metric = (aggregation: string, field?: string, alias?: string) => ({
    aggregation,
    ...(field && { field }),
    ...(alias !== undefined && { alias }),
  })

  const CASES: readonly Case[] = [
    ['an unknown resource', { resource: 'payouts' }, 'resource'],
    ['an unknown field of the body', { having: [] }, 'having'],
    ['a missing range', { dateRange: undefined }, 'dateRange'],
    ['a range without its end', { dateRange: { field: 'createdAt', from: '2026-07-01' } }, 'dateRange.to'],
    ['a range of a field that is not a date', { dateRange: { ...JULY, field: 'amount' } }, 'dateRange.field'],
    [
      "a range of another resource's date",
      { dateRange: { ...JULY, field: 'detectedAt' } },
      'dateRange.field',
    ],
    ['an invalid timestamp', { dateRange: { ...JULY, from: 'July' } }, 'dateRange.from'],
    ['a range whose end equals its start', { dateRange: { ...JULY, to: JULY.from } }, 'dateRange.to'],
    ['a range of 367 days', { dateRange: { ...JULY, to: '2027-07-03T00:00:00Z' } }, 'dateRange'],
    [
      'a range of 367 days with weekly buckets',
      { dateRange: { ...JULY, to: '2027-07-03T00:00:00Z' }, groupBy: [bucket('createdAt', 'week')] },
      'dateRange',
    ],
    [
      'a range of 3661 days with monthly buckets',
      { dateRange: { ...JULY, from: '2016-07-23' }, groupBy: [bucket('createdAt', 'month')] },
      'dateRange',
    ],
    ['four groups', { groupBy: ['status', 'source', 'feePayer', 'currency'].map(by) }, 'groupBy'],
    ['two buckets', { groupBy: [bucket('createdAt', 'day'), bucket('settledAt', 'day')] }, 'groupBy[1].type'],
    ['the same group twice', { groupBy: [by('status'), by('status')] }, 'groupBy[1].field'],
    ['a group by a number', { groupBy: [by('amount')] }, 'groupBy[0].field'],
    ["a group by another resource's field", { groupBy: [by('network')] }, 'groupBy[0].field'],
    ['a bucket without granularity', { groupBy: [bucket('createdAt')] }, 'groupBy[0].granularity'],
    ['an unknown granularity', { groupBy: [bucket('createdAt', 'minute')] }, 'groupBy[0].granularity'],
    [
      'a granularity for a field that is not a date',
      { groupBy: [{ ...by('status'), granularity: 'day' }] },
      'groupBy[0].granularity',
    ],
    ['a bucket by a field that is not a date', { groupBy: [bucket('status', 'day')] }, 'groupBy[0].field'],
    ['an empty list of metrics', { metrics: [] }, 'metrics'],
    [
      'eleven metrics',
      { metrics: Array.from({ length: 11 }, (_, n) => metric('count', undefined, `n${n}`)) },
      'metrics',
    ],
    ['an unknown aggregation', { metrics: [metric('median', 'amount')] }, 'metrics[0].aggregation'],
    ['a count with a field', { metrics: [metric('count', 'amount')] }, 'metrics[0].field'],
    ['a sum without a field', { metrics: [metric('sum')] }, 'metrics[0].field'],
    ['a sum of text', { metrics: [metric('sum', 'status')] }, 'metrics[0].field'],
    ['a distinct count of dates', { metrics: [metric('countDistinct', 'createdAt')] }, 'metrics[0].field'],
    ['an alias with a space', { metrics: [metric('count', undefined, 'a b')] }, 'metrics[0].alias'],
    [
      'SQL as an alias',
      { metrics: [metric('count', undefined, 'n"; drop table charges; --')] },
      'metrics[0].alias',
    ],
    ['an empty alias', { metrics: [metric('count', undefined, '')] }, 'metrics[0].alias'],
    [
      'an alias of 65 characters',
      { metrics: [metric('count', undefined, 'a'.repeat(65))] },
      'metrics[0].alias',
    ],
    ['the alias bucket', { metrics: [metric('count', undefined, 'bucket')] }, 'metrics[0].alias'],
    ['a duplicate alias', { metrics: [COUNT, metric('sum', 'amount', 'count')] }, 'metrics[1].alias'],
    ['a duplicate default alias', { metrics: [COUNT, COUNT] }, 'metrics[1].alias'],
    [
      'the alias of a group',
      { groupBy: [by('status')], metrics: [metric('count', undefined, 'status')] },
      'metrics[0].alias',
    ],
    [
      'an alias that equals the column of another metric’s exact text',
      { metrics: [VOLUME, metric('count', undefined, 'volumeExact')] },
      'metrics[1].alias',
    ],
    [
      'an alias whose exact text is already a column',
      { metrics: [metric('count', undefined, 'volumeExact'), VOLUME] },
      'metrics[1].alias',
    ],
    [
      '21 filters',
      { filters: Array.from({ length: 21 }, () => ({ field: 'status', operator: 'eq', value: null })) },
      'filters',
    ],
    ['a filter by a date', where('createdAt', 'gte', '2026-07-01'), 'filters[0].field'],
    ['an unknown operator', where('status', 'like', '%'), 'filters[0].operator'],
    ['an order comparison of text', where('status', 'gt', 'pending'), 'filters[0].operator'],
    ['an unknown status', where('status', 'eq', 'paid'), 'filters[0].value'],
    ['text instead of a number', where('amount', 'eq', '10'), 'filters[0].value'],
    ['text instead of a boolean', where('isOverpaid', 'eq', 'true'), 'filters[0].value'],
    ['text instead of an address', where('escrowReleaserAddress', 'eq', 'alice'), 'filters[0].value'],
    ['a number instead of text', where('externalRef', 'eq', 1), 'filters[0].value'],
    ['text of 256 characters', where('externalRef', 'eq', 'a'.repeat(256)), 'filters[0].value'],
    ['an order comparison with null', where('amount', 'gt', null), 'filters[0].value'],
    ['null in a list', where('status', 'in', [null]), 'filters[0].value[0]'],
    ['the operator in without a list', where('status', 'in', 'pending'), 'filters[0].value'],
    ['a list without the operator in', where('status', 'eq', ['pending']), 'filters[0].value'],
    ['an empty list', where('status', 'in', []), 'filters[0].value'],
    [
      'a list of 51 values',
      where('externalRef', 'in', Array.from({ length: 51 }, String)),
      'filters[0].value',
    ],
    ['a wrong value in a list', where('status', 'in', ['pending', 'paid']), 'filters[0].value[1]'],
    ['an order by an unknown column', { orderBy: { key: 'volume', direction: 'asc' } }, 'orderBy.key'],
    ['SQL as an order', { orderBy: { key: '1; drop table charges', direction: 'asc' } }, 'orderBy.key'],
    ['an unknown direction', { orderBy: { key: 'count', direction: 'up' } }, 'orderBy.direction'],
    ['the limit 0', { limit: 0 }, 'limit'],
    ['the limit 1001', { limit: 1001 }, 'limit'],
    ['fill without a bucket', { fill: true }, 'fill'],
    [
      'fill with a bucket by a date other than the range’s',
      { fill: true, groupBy: [bucket('settledAt', 'day')] },
      'fill',
    ],
  ]

  for (const [reason, changes, param] of CASES) {
    it(`rejects ${reason}`, async () => {
      expectError(await query(changes), '400 validation_error', param)
    })
  }

  it('names the earlier group of a field that is given twice', async () => {
    const { body } = await query({ groupBy: [by('source'), by('status'), by('status')] })
    expect(body.error.message).to.equal('groupBy[2].field is status, which is already groupBy[1].field')
  })

  it('accepts values just within the limits', async () => {
    const status = async (changes: object) => (await query(changes)).status
    expect(await status({ dateRange: { ...JULY, to: '2027-07-02T00:00:00Z' } })).to.equal(200)
    const tenYears = { ...JULY, from: '2016-07-24T00:00:00Z' }
    expect(await status({ dateRange: tenYears, groupBy: [bucket('createdAt', 'month')] })).to.equal(200)
    expect(await status({ limit: 1000, groupBy: ['status', 'source', 'feePayer'].map(by) })).to.equal(200)
    const metrics = Array.from({ length: 10 }, (_, n) => metric('count', undefined, `n${n}`))
    const filters = Array.from({ length: 20 }, () => ({
      field: 'externalRef',
      operator: 'in',
      value: Array.from({ length: 50 }, String),
    }))
    expect(await status({ metrics, filters })).to.equal(200)
    expect(await status({ metrics: [metric('count', undefined, '__proto__')] })).to.equal(200)
  })
})

function charge(made: {
  createdAt: string
  amount: string
  organizationId?: string
  environment?: 'live' | 'test'
  externalRef?: string
}) {
  const { createdAt, amount, ...columns } = made
  const [whole = '', fraction = ''] = amount.split('.')
  const moment = new Date(createdAt)
  return buildCharge({
    ...columns,
    amountMicro: micro(BigInt(whole + fraction.padEnd(6, '0'))),
    createdAt: moment,
    lastActivityAt: moment,
    expiresAt: new Date(moment.getTime() + 60_000),
  })
}
