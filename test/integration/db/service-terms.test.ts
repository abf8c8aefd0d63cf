import { expect } from 'chai'

import {
  listTrustedTerms,
  readPayeeFacts,
  recordServiceTerms,
  trustFactories,
} from '../../../shared/db/charges/daemon/service-terms.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { percent } from '../../../shared/domain/percent.ts'
import { SPLIT_FACTORY } from '../../../shared/domain/split-address.ts'
import { listServiceTerms } from '../../../shared/runtime/service-terms.ts'
import { insertChargeRows } from '../../support/charge-rows.ts'
import { buildCharge } from '../../support/factories.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { insertOrganizationRow } from '../../support/rows.ts'

const TREASURY = `0x${'77'.repeat(20)}` as Address
const PARTNER = `0x${'79'.repeat(20)}` as Address
const ON_TRON = `0x${'78'.repeat(20)}` as Address
const [FACTORY, NILE_FACTORY] = [`0x${'f1'.repeat(20)}`, `0x${'f2'.repeat(20)}`] as [Address, Address]

describe('the service’s terms', () => {
  let database: TestDatabase
  let sql: Sql
  before(async () => {
    database = await createTestDatabase()
    for (const id of ['org_one', 'org_two']) await insertOrganizationRow(database.sql, id)
    sql = connectForTest(database.url.daemon)
  })
  after(async () => {
    await sql?.end()
    await database?.drop()
  })

  it('are trusted once per chain family and environment with a treasury and a verified factory', async () => {
    const config = {
      fees: { feePercent: percent(0n), escrowFeePercent: percent(0n), distributorFeePercent: percent(0n) },
      treasury: { evm: TREASURY, tron: ON_TRON },
      splitFactories: {
        live: { evm: SPLIT_FACTORY, tron: FACTORY },
        test: { evm: SPLIT_FACTORY, tron: NILE_FACTORY },
      },
    }
    const none = { ...config, treasury: { evm: TREASURY, tron: null } }
    await recordServiceTerms(sql, listServiceTerms(none))
    const places = async () =>
      (await listTrustedTerms(sql)).map(
        ({ family, environment, factory, treasury }) => `${family} ${environment} ${factory} ${treasury}`,
      )
    const evm = [`evm live ${SPLIT_FACTORY} ${TREASURY}`, `evm test ${SPLIT_FACTORY} ${TREASURY}`]
    expect(await places()).to.have.members(evm)
    await recordServiceTerms(sql, listServiceTerms(config))
    await recordServiceTerms(sql, listServiceTerms(config))
    // A configured factory might be mistyped. It counts only once the daemon has verified the code at its address.
    expect(await places()).to.have.members(evm)
    await trustFactories(sql, [
      { family: 'tron', environment: 'live', factory: FACTORY },
      { family: 'tron', environment: 'test', factory: NILE_FACTORY },
    ])
    const tron = [`tron live ${FACTORY} ${ON_TRON}`, `tron test ${NILE_FACTORY} ${ON_TRON}`]
    expect(await places()).to.have.members([...evm, ...tron])
  })

  for (const [title, { recipient, unregistered }] of Object.entries({
    'registered if the charge’s organization has registered it': { recipient: {}, unregistered: 0 },
    'unregistered if the charge’s organization has registered only another recipient': {
      ...{ recipient: { address: ON_TRON }, unregistered: 1 },
    },
    'unregistered if it is registered only in the other environment': {
      ...{ recipient: { environment: 'test' }, unregistered: 1 },
    },
    'unregistered if only another organization has registered it': {
      ...{ recipient: { organizationId: 'org_two' }, unregistered: 1 },
    },
  }))
    it(`treat a recipient as ${title}`, async () => {
      const row = { address: PARTNER, environment: 'live', organizationId: 'org_one', ...recipient }
      const charge = buildCharge({ splitRecipients: [{ address: PARTNER, percentText: '10' }] })
      await insertChargeRows(database.sql, [charge])
      await database.sql`
        insert into recipients (id, organization_id, environment, address, family)
        values ('rc_one', ${row.organizationId}, ${row.environment}, ${row.address}, 'evm')`
      const evidence = await readPayeeFacts(sql, [charge.id])
      await database.sql`delete from recipients`
      expect(evidence.get(charge.id)).to.include({ unregistered })
    })
})
