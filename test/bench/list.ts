import { encodeCursor } from '../../api/http/cursor.ts'
import { insertManyCharges, LARGEST } from '../support/many-charges.ts'
import { createTestDatabase, stopTestPostgres, type TestDatabase } from '../support/postgres.ts'
import { CURSOR_SECRET, environment, prepareApi, rate, startServer } from './api.ts'
import { type Comparison, compare } from './compare.ts'

/** Target ratio: a page may take at most 1.3 times as long, because larger tables use a machine's caches less well. */
const AIM = 1 / 1.3

const FEW = 5_000
const MANY = 200_000

/** A page size that even half of the small set of charges fills. */
const LIMIT = 5

/** Each filter alone, and the combinations that match the fewest charges. */
const FILTERS: readonly Readonly<Record<string, string>>[] = [
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
 * Compares lists of charges by every filter among many charges of 50 organizations with the same lists among few
 * charges.
 *
 * Reads each filter's first page and a page from the middle of its list, one request after another, below HTTP.
 */
export async function benchList(options: {
  seconds: number
  repetitions: number
  /** The number of "many" charges. The insertion of one million takes a minute. */
  rows?: number | undefined
}): Promise<readonly Comparison[]> {
  const rows = options.rows ?? MANY
  const [many, few] = await Promise.all([startList(rows), startList(FEW)])
  try {
    return [
      await compare({
        name: `list charges, every filter: among ${rows} charges / among ${FEW}`,
        aim: AIM,
        repetitions: options.repetitions,
        ours: () => rate(many.requests, options.seconds),
        yardstick: () => rate(few.requests, options.seconds),
      }),
    ]
  } finally {
    await Promise.all([many.stop(), few.stop()])
    await stopTestPostgres()
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

/** Returns a filter's query of the first page, and its query of the page that starts in the middle of all charges. */
async function queriesOf({ sql }: TestDatabase, filter: Readonly<Record<string, string>>): Promise<string[]> {
  const [middle] = await sql<{ id: string; atMicros: number }[]>`
    select id, (extract(epoch from created_at) * 1000000)::bigint as at_micros from charges
    order by id offset (select count(*) / 2 from charges) limit 1`
  if (middle === undefined) throw new Error('there are no charges to list')
  const { status, token, network, isOverpaid } = filter
  const scope = {
    secrets: [CURSOR_SECRET],
    list: 'charges',
    filter: [LARGEST, 'live', status, token, network, isOverpaid, undefined],
  }
  const first = new URLSearchParams({ ...filter, limit: String(LIMIT) }).toString()
  return [first, `${first}&cursor=${encodeCursor(scope, middle)}`]
}
