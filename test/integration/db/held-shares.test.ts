import { expect } from 'chai'
import { claimHeldShares } from '../../../shared/db/payouts/daemon/held-shares.ts'
import { micro, microToAtto } from '../../../shared/domain/money.ts'
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import {
  chargeTerms,
  insertBase,
  insertOrganizationRow,
  OTHER_ADDRESS,
  SOME_ADDRESS,
} from '../../support/rows.ts'

const TWO_DOLLARS = String(2n * 10n ** 18n)

describe('claimHeldShares', () => {
  let database: TestDatabase

  beforeEach(async () => {
    database = await createTestDatabase()
    await insertOrganizationRow(database.sql, 'org_one')
    await insertBase(database.sql)
  })
  afterEach(() => database.drop())

  /** Returns whether a cent that is held for the charge's first recipient counts as dust. Dust is not released. */
  const isLeft = async (
    splitRecipients: readonly object[],
    columns: object = { received_atto: '1', status: 'confirmed', confirmed_at: new Date() },
    settlementAtomic = '10000',
  ): Promise<boolean | undefined> => {
    const { sql } = database
    await sql`select from create_charges(${sql.json([chargeTerms()] as never)})`
    await sql`
      update charges set split_terms = ${sql.json({ recipients: [SOME_ADDRESS, OTHER_ADDRESS] })},
        split_recipients = ${sql.json(splitRecipients as never)}`
    await sql`update charges set ${sql(columns)}`
    await sql`
      insert into charge_ledgers (charge_id, network, token, chain_id, token_address, credited_atomic, settlement_atomic)
      select id, 'base', 'USDC', 8453, ${SOME_ADDRESS}, 10000, ${settlementAtomic} from charges`
    await sql`
      insert into held_shares (charge_id, chain_id, token_address, recipient, held_atomic, next_attempt_at)
      select id, 8453, ${SOME_ADDRESS}, ${SOME_ADDRESS}, 10000, now() from charges`
    const soon = new Date(Date.now() + 60_000)
    return (await claimAt(soon))?.isDust
  }

  const claimAt = async (now: Date) => {
    const [share] = await claimHeldShares(database.sql, {
      ...{ chainId: 8453, now, until: now, limit: 1 },
      minimumAtto: microToAtto(micro(1_000_000n)),
    })
    return share
  }

  it('does not treat a cent of the merchant’s share as dust while the charge needs the cent to settle', async () => {
    expect(await isLeft([])).to.equal(false)
  })

  it('treats a cent of the merchant’s share as dust if the pair received only late payments', async () => {
    expect(await isLeft([], undefined, '0')).to.equal(true)
  })

  it('does not treat a cent of the merchant’s share as dust if an underpaid charge received the minimum payout in time', async () => {
    expect(
      await isLeft([], { status: 'underpaid', on_time_atto: TWO_DOLLARS, received_atto: TWO_DOLLARS }),
    ).to.equal(false)
  })

  it('treats a cent of the merchant’s share as dust if an underpaid charge received the minimum payout only with late payments', async () => {
    const columns = {
      status: 'underpaid',
      on_time_atto: '20000000000000000',
      received_atto: String(10n ** 19n),
    }
    expect(await isLeft([], columns)).to.equal(true)
  })

  it('does not treat the first recipient as the merchant if the merchant has no share', async () => {
    expect(await isLeft([{ address: SOME_ADDRESS, percentText: '99' }])).to.equal(true)
  })

  it('reports a share as reverted after a reverted release, but not after a reverted cancellation', async () => {
    const { sql } = database
    await isLeft([])
    await sql`insert into relayers (chain_id, address, next_nonce) values (8453, ${OTHER_ADDRESS}, 1)`
    await sql`
      insert into relayer_transactions (tx_hash, chain_id, relayer, nonce, held_share_id, raw_transaction,
        max_fee_per_gas, is_cancellation, status)
      select '0x01', 8453, ${OTHER_ADDRESS}, 0, id, '0x', 1, true, 'reverted' from held_shares`
    const later = new Date(Date.now() + 120_000)
    expect(await claimAt(later)).to.include({ hasReverted: false })
    await sql`update relayer_transactions set is_cancellation = false`
    expect(await claimAt(later)).to.include({ hasReverted: true })
  })
})
