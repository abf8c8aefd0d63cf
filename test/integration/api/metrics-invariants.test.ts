import { expect } from 'chai'
import * as fc from 'fast-check'
import { METRICS_RESOURCES, type MetricsField } from '../../../shared/db/metrics/api/metrics-fields.ts'
import { AGGREGATIONS, GRANULARITIES } from '../../../shared/db/metrics/api/metrics-query.ts'
import { formatDecimal } from '../../../shared/domain/decimal.ts'
import { startTestApi, type TestApi } from '../../support/api.ts'
import { call } from '../../support/call-route.ts'
import { KEEPER, MERCHANT } from '../../support/factories.ts'
import { DAYS, FIRST_DAY, type SeededMetrics, seedMetrics } from '../../support/metrics-rows.ts'
import { evaluateNaively, type NaiveQuery } from '../../support/naive-metrics.ts'

const RUNS = process.env['TEST_LONG'] ? 60 : 24 // oxlint-disable-line no-process-env -- the duration is a setting of the run

const FREE_WORDS = ['order 1', 'Order 2', 'ärger', 'ZZ', 'shop', 'Shop', 'app', "'; drop table charges; --"]

describe('random metrics queries', () => {
  let api: TestApi
  let seeded: SeededMetrics
  let key: string

  before(async () => {
    api = await startTestApi({ RATE_LIMIT_METRICS_PER_MINUTE: '100000' })
    ;({ key } = await api.issueKey({ environment: 'test', scopes: ['metrics:read'] }))
    await api.issueKey({ organization: 'org_two' })
    const tenant = { organizationId: 'org_one', environment: 'test', charges: 300, seed: 1 } as const
    seeded = await seedMetrics(api.owner, tenant)
    await seedMetrics(api.owner, { ...tenant, environment: 'live', charges: 50, seed: 2 })
    await seedMetrics(api.owner, { ...tenant, organizationId: 'org_two', charges: 50, seed: 3 })
  })
  after(() => api.stop())

  for (const resource of ['charges', 'transactions', 'distributions'] as const) {
    it(`return for ${resource} the same result as a loop over the rows, to the last digit`, async () => {
      await fc.assert(
        fc.asyncProperty(queries(resource), async (query) => {
          const { status, body, text } = await call(api, 'POST /v1/metrics/query', { key, body: query })
          expect(status, text).to.equal(200)
          const expected = evaluateNaively(seeded[resource], query)
          expect(body.data).to.deep.equal(expected)
          const all = evaluateNaively(seeded[resource], { ...query, limit: 1_000_000 })
          expect(body.meta).to.include({ rowCount: expected.length, truncated: all.length > expected.length })
        }),
        { numRuns: RUNS },
      )
    }).timeout(240_000)
  }

  it('sum distributions of tokens with 6 and with 18 decimals', async () => {
    const body = {
      resource: 'distributions',
      dateRange: {
        field: 'createdAt',
        from: new Date(FIRST_DAY).toISOString(),
        to: new Date(FIRST_DAY + (DAYS + 1) * 86_400_000).toISOString(),
      },
      metrics: [{ aggregation: 'sum', field: 'amount', alias: 'paidOut' }],
    }
    const answer = await call(api, 'POST /v1/metrics/query', { key, body })
    const sum = seeded.distributions.reduce((total, { amount }) => total + (amount as bigint), 0n)
    expect(answer.body.data[0]?.paidOutExact, answer.text).to.equal(formatDecimal(sum, 18))
  })
})

function queries(resource: keyof SeededMetrics): fc.Arbitrary<NaiveQuery> {
  const fields: Readonly<Record<string, MetricsField>> = METRICS_RESOURCES[resource].fields
  const of = (...kinds: MetricsField['kind'][]) =>
    Object.keys(fields).filter((name) => kinds.some((kind) => fields[name]?.kind === kind))
  const dates = of('date')
  const numbers = of('number')
  const words = of('text', 'boolean', 'address')
  const bucket = fc.record({
    type: fc.constant('date_bucket'),
    field: fc.constantFrom(...dates),
    granularity: fc.constantFrom(...GRANULARITIES),
  })
  const groups = fc
    .subarray(words, { maxLength: 2 })
    .map((names) => names.map((field) => ({ type: 'field', field })))
  const groupBy = fc
    .tuple(fc.option(bucket), groups, fc.boolean())
    .map(([one, others, isFirst]) => (one === null ? others : isFirst ? [one, ...others] : [...others, one]))
  const measured = fc
    .tuple(fc.constantFrom(...AGGREGATIONS.filter((one) => one !== 'count')), fc.constantFrom(...numbers))
    .map(([aggregation, field]) => ({ aggregation, field }))
  const distinct = fc.constantFrom(...words).map((field) => ({ aggregation: 'countDistinct', field }))
  const metrics = fc.uniqueArray(
    fc.oneof(measured, measured, distinct, fc.constant({ aggregation: 'count' })),
    {
      minLength: 1,
      maxLength: 4,
      selector: (metric) => JSON.stringify(metric),
    },
  )
  const filters = fc.array(fc.oneof(filterOfWords(fields, words), filterOfNumbers(numbers)), { maxLength: 3 })
  return fc
    .record({
      resource: fc.constant(resource),
      dateRange: dateRanges(dates),
      groupBy,
      metrics,
      filters,
      limit: fc.constantFrom(1, 3, 100, 1000),
      ordering: fc.option(fc.tuple(fc.nat(), fc.constantFrom('asc', 'desc'))),
      fill: fc.boolean(),
    })
    .map(({ ordering, fill, ...query }) => {
      const canFill = query.groupBy.some(
        ({ type, field }) => type === 'date_bucket' && field === query.dateRange.field,
      )
      const names = [
        ...query.groupBy.map(({ field }) => field),
        ...query.metrics.map((metric) =>
          'field' in metric ? `${metric.aggregation}_${metric.field}` : 'count',
        ),
      ]
      const [place, direction] = ordering ?? [0, 'asc']
      const orderBy = { key: names[place % names.length] ?? '', direction }
      return { ...query, ...(canFill && { fill }), ...(ordering !== null && { orderBy }) }
    })
}

/** Generates ranges of up to 200 days around the dates of the rows. */
function dateRanges(fields: readonly string[]) {
  const hour = 3_600_000
  return fc
    .tuple(
      fc.constantFrom(...fields),
      fc.integer({ min: -30 * 24, max: DAYS * 24 }),
      fc.integer({ min: 1, max: 200 * 24 }),
    )
    .map(([field, from, hours]) => ({
      field,
      from: new Date(FIRST_DAY + from * hour).toISOString(),
      to: new Date(FIRST_DAY + (from + hours) * hour).toISOString(),
    }))
}

function filterOfWords(fields: Readonly<Record<string, MetricsField>>, names: readonly string[]) {
  return fc.constantFrom(...names).chain((field) => {
    const value = fc.constantFrom<string | boolean>(...valuesOf(fields[field]))
    return fc.oneof(
      fc.record({
        field: fc.constant(field),
        operator: fc.constantFrom('eq', 'neq'),
        value: fc.option(value),
      }),
      fc.record({
        field: fc.constant(field),
        operator: fc.constant('in'),
        value: fc.array(value, { minLength: 1, maxLength: 5 }),
      }),
    )
  })
}

function valuesOf(field: MetricsField | undefined): readonly (string | boolean)[] {
  if (field?.kind === 'text') return field.words ?? FREE_WORDS
  return field?.kind === 'boolean' ? [true, false] : [MERCHANT, KEEPER.toUpperCase().replace('0X', '0x')]
}

function filterOfNumbers(names: readonly string[]) {
  const value = fc.oneof(
    fc.constantFrom(0, 1, 0.5, 0.3333, 2.1234, 3, 100),
    fc.integer({ max: 2_000 * 10 ** 6, min: 0 }).map((n) => n / 1e6),
  )
  return fc.oneof(
    fc.record({
      field: fc.constantFrom(...names),
      operator: fc.constantFrom('gt', 'gte', 'lt', 'lte', 'eq', 'neq'),
      value,
    }),
    fc.record({
      field: fc.constantFrom(...names),
      operator: fc.constant('in'),
      value: fc.array(value, { minLength: 1, maxLength: 5 }),
    }),
  )
}
