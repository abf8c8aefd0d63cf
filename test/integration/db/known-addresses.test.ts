import { expect } from 'chai'
import {
  findKnownAddresses,
  listKnownAddresses,
} from '../../../shared/db/chain-facts/daemon/known-addresses.ts'
import { CHARGE_STATUSES } from '../../../shared/domain/charge.ts'
import { insertChargeRows } from '../../support/charge-rows.ts'
import { buildCharge, randomHex } from '../../support/factories.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { insertOrganizationRow } from '../../support/rows.ts'

const LONG_AGO = new Date('2020-01-01T00:00:00Z')

describe('the addresses of charges', () => {
  let database: TestDatabase
  const daemon = () => connectForTest(database.url.daemon)

  /** One charge per status, and an escrow charge, whose address is not its split. All were created years ago. */
  const charges = [...CHARGE_STATUSES, 'confirmed' as const].map((status, index) =>
    buildCharge({
      status,
      settlementStatus: status === 'confirmed' ? 'completed' : null,
      createdAt: LONG_AGO,
      expiresAt: new Date(LONG_AGO.getTime() + 3_600_000),
      lastActivityAt: LONG_AGO,
      ...(status === 'confirmed' ? { confirmedAt: LONG_AGO, settledAt: LONG_AGO } : {}),
      ...(index === CHARGE_STATUSES.length
        ? {
            escrowReleaser: randomHex(20) as never,
            splitAddress: randomHex(20) as never,
            escrowFeePercent: '0.5',
          }
        : {}),
    }),
  )
  const addresses = [...new Set(charges.flatMap(({ address, splitAddress }) => [address, splitAddress]))]

  before(async () => {
    database = await createTestDatabase()
    await insertOrganizationRow(database.sql, 'org_one')
    await insertChargeRows(database.sql, charges)
  })
  after(() => database.drop())

  it('are found and listed years after the charge’s creation, in any status of the charge', async () => {
    const sql = daemon()
    const found = await findKnownAddresses(sql, addresses)
    const listed = await listKnownAddresses(sql, 100)
    await sql.end()
    for (const known of [found, listed ?? []])
      expect(known.map(({ address }) => address).toSorted()).to.deep.equal(addresses.toSorted())
  })
})
