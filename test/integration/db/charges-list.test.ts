import { expect } from 'chai'
import {
  type ChargeFilter,
  type ChargeListing,
  listCharges,
} from '../../../shared/db/charges/api/charges-list.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import { CHARGE_STATUSES } from '../../../shared/domain/charge.ts'
import { insertDeployments } from '../../support/api.ts'
import { insertManyCharges, LARGEST } from '../../support/many-charges.ts'
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { connectExplained, type Explained, rowsReadBy } from '../../support/query-plans.ts'

const CHARGES = 10_000

const FIRST = { after: null, limit: 1 } as const
const LATER = {
  after: { createdAtMicros: Date.parse('2026-01-01T12:00:00Z') * 1000, id: 'ch_0' },
  limit: 100,
} as const

describe('the list of 10,000 charges', function () {
  this.timeout(240_000)

  let database: TestDatabase
  let explained: Explained
  let sql: Sql

  before(async () => {
    database = await createTestDatabase()
    await insertDeployments(database.sql)
    await insertManyCharges(database.sql, CHARGES)
    await database.sql`update charges set external_ref = 'order' where id like '%77' or id like '%78'`
    explained = await connectExplained(database)
    ;({ sql } = explained)
  })

  after(async () => {
    await sql.end()
    await database.drop()
  })

  /** Lists a page, and returns the problems in PostgreSQL's query plan. */
  async function problemsOf(listing: Partial<ChargeListing>): Promise<readonly string[]> {
    explained.takeNodes()
    const limit = listing.limit ?? 20
    const { charges: found } = await listCharges(sql, {
      tenant: { organizationId: LARGEST, environment: 'live' },
      filter: {},
      after: null,
      limit,
      maxBytes: 1_048_576,
      staleAfter: { blocks: 20, atLeastMs: 120_000 },
      ...listing,
    })
    const nodes = explained.takeNodes()
    expect(nodes.length, 'plan nodes').to.be.greaterThan(3)
    const scans = nodes.filter((node) => LARGE.includes(node['Relation Name'] ?? ''))
    const read = scans.reduce((sum, node) => sum + rowsReadBy(node), 0)
    // The query merges at most ten index ranges, one per status and overpayment. It reads the page's index entries and
    // one more entry per range, and then each charge, its last transfer, and its detected but uncredited amount.
    const allowed = 10 + 4 * (found.length + 1)
    return [
      ...scans
        .filter((node) => !/^Index( Only)? Scan$/.test(node['Node Type']))
        .map((node) => node['Node Type']),
      ...nodes
        .filter((node) => /Sort|Hash|Materialize/.test(node['Node Type']))
        .map((node) => node['Node Type']),
      ...(read > allowed ? [`${read} rows read for a page of ${found.length}`] : []),
    ]
  }

  for (const planMode of ['force_custom_plan', 'force_generic_plan']) {
    it(`reads only the page for every combination of status, overpayment, pair and start time, with ${planMode}`, async () => {
      await sql.unsafe(`set plan_cache_mode = ${planMode}`)
      for (const filter of everyFilter()) {
        for (const page of [FIRST, LATER]) {
          const problems = await problemsOf({ filter, ...page })
          expect(problems, JSON.stringify({ filter, ...page })).to.deep.equal([])
        }
      }
    })
  }

  it('reads only the page for one reference, combined with every status, overpayment and time', async () => {
    const until = new Date('2026-01-01T18:00:00Z')
    for (const filter of everyFilter().filter(({ token, network }) => !token && !network))
      for (const page of [FIRST, LATER]) {
        const listing = { filter: { ...filter, until, externalRef: 'order' }, ...page }
        expect(await problemsOf(listing), JSON.stringify(listing)).to.deep.equal([])
      }
  })

  it('reads only the page for a small organization, and for an organization without charges', async () => {
    for (const organizationId of ['org_7', 'org_none']) {
      for (const filter of everyFilter()) {
        const problems = await problemsOf({ tenant: { organizationId, environment: 'live' }, filter })
        expect(problems, JSON.stringify({ organizationId, filter })).to.deep.equal([])
      }
    }
  })

  it('needs the index charges_listed: without the index, this test finds a problem', async () => {
    await sql`drop index charges_listed`
    expect(await problemsOf({})).not.to.deep.equal([])
  })
})

/**
 * The large tables. The list also reads tables that are empty here, such as refunds, and pairs and deployments, which
 * have at most dozens of rows.
 */
const LARGE = ['charges', 'charges_by_paid_with', 'transfers']

function everyFilter(): readonly ChargeFilter[] {
  const paidWith = [{}, { token: 'USDC' }, { network: 'bnb' }, { token: 'USDT', network: 'bnb' }] as const
  const since = [undefined, new Date('2026-01-01T06:00:00Z')]
  return [undefined, ...CHARGE_STATUSES].flatMap((status) =>
    [undefined, true, false].flatMap((isOverpaid) =>
      paidWith.flatMap((paid) => since.map((moment) => ({ status, isOverpaid, since: moment, ...paid }))),
    ),
  )
}
