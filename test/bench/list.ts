import { buildScope } from '../../api/charges/list-charges.ts'
import { encodeCursor } from '../../api/http/cursor.ts'
import { insertManyCharges, LARGEST } from '../support/many-charges.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { CURSOR_SECRET, environment, prepareApi, rate, startServer } from './api.ts'
import { type BenchOptions, resize } from './bench.ts'
import { type Comparison, compare } from './compare.ts'

/** Target ratio: a page may take 1.3 times as long, because caches hold a smaller share of larger tables. */
const AIM = 1 / 1.3

const FEW = 5_000
/** Default number of many charges. Inserting one million charges takes a minute. */
const MANY = 200_000

/** Page size. With every filter, even the second half of `FEW` charges fills a page. */
const LIMIT = 5

type Filter = Parameters<typeof buildScope>[1]['query']

/** No filter, each filter alone, and the combinations that match the fewest charges. */
const FILTERS: readonly Filter[] = [
  {},
  { status: 'expired' },
  { status: 'underpaid' },
  { isOverpaid: 'true' },
  { isOverpaid: 'false' },
  { token: 'USDC' },
  { network: 'bnb' },
  { token: 'USDT', network: 'bnb' },
  { token: 'USDC', status: 'confirmed', isOverpaid: 'true' },
]

/**
 * Compares how fast charges are listed by every filter among many charges of 50 organizations and among few charges.
 *
 * Reads each filter's first page and the page that starts in the middle of all charges, one request after another.
 */
export async function benchList(options: BenchOptions): Promise<readonly Comparison[]> {
  const [rows, fewRows] = [options.rows ?? resize(MANY, options), resize(FEW, options)]
  const [many, few] = await Promise.all([startList(rows), startList(fewRows)])
  try {
    return [
      await compare({
        name: `list charges, every filter: among ${rows} charges / among ${fewRows}`,
        aim: AIM,
        repetitions: options.repetitions,
        ours: () => rate(many.requests, options.seconds),
        yardstick: () => rate(few.requests, options.seconds),
      }),
    ]
  } finally {
    await Promise.all([many.stop(), few.stop()])
  }
}

async function startList(rows: number) {
  const database = await createTestDatabase()
  const key = await prepareApi(database.sql, LARGEST)
  await insertManyCharges(database.sql, rows)
  const { url, process } = await startServer('api', environment(database.url.api))
  const headers = { authorization: `Bearer ${key}` }
  const queries = await Promise.all(FILTERS.map((filter) => queriesOf(database, filter)))
  return {
    requests: {
      url,
      connections: 1,
      requests: queries.flat().map((query) => ({ path: `/v1/charges?${query}`, headers })),
    },
    stop: async () => {
      process.kill()
      await database.drop()
    },
  }
}

/** Returns a filter's queries for the first page and for the page that starts in the middle of all charges. */
async function queriesOf({ sql }: TestDatabase, filter: Filter): Promise<string[]> {
  const [middle] = await sql<{ id: string; atMicros: number }[]>`
    select id, (extract(epoch from created_at) * 1000000)::bigint as at_micros from charges
    order by id offset (select count(*) / 2 from charges) limit 1`
  if (middle === undefined) throw new Error('there are no charges to list')
  const config = { cursorSecrets: [CURSOR_SECRET] }
  const scope = buildScope(
    { config },
    { key: { organizationId: LARGEST, environment: 'live' }, query: filter },
  )
  const first = new URLSearchParams({ ...filter, limit: String(LIMIT) }).toString()
  return [first, `${first}&cursor=${encodeCursor(scope, middle)}`]
}
