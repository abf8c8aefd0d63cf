import { expect } from 'chai'

import { notifyHead } from '../../../shared/db/chain-facts/daemon/deployments.ts'
import { listen } from '../../../shared/db/listen.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { chargeTerms, insertBase, insertOrganizationRow, SOME_ADDRESS } from '../../support/rows.ts'

describe('notifyHead', () => {
  let database: TestDatabase

  beforeEach(async () => {
    database = await createTestDatabase()
    await insertBase(database.sql)
    await insertOrganizationRow(database.sql, 'org_one')
    const terms = database.sql.json([chargeTerms()] as never)
    await database.sql`select create_charges(${terms})`
  })

  afterEach(() => database.drop())

  it('sends a notification with the chain id while a transfer on the chain waits for its credit', async () => {
    await insertTransfer({ isCredited: false })
    expect(await announcements()).to.deep.equal(['8453'])
  })

  it('does not send a notification if every transfer is credited', async () => {
    await insertTransfer({ isCredited: true })
    expect(await announcements()).to.deep.equal([])
  })

  async function insertTransfer({ isCredited }: { isCredited: boolean }): Promise<void> {
    await database.sql`
      insert into transfers (charge_id, network, token, source, chain_id, token_address, tx_hash, ordinal,
        value_atomic, amount_atto, accepted, inclusion, block_number, credited_at)
      values (${String(chargeTerms()['id'])}, 'base', 'USDC', 'contract_watcher', 8453, ${SOME_ADDRESS}, '0x01', 0,
        1, 1, true, 'included', 5, ${isCredited ? new Date() : null})`
  }

  /** Returns the notifications of one call. A second notification marks their end. */
  async function announcements(): Promise<readonly string[]> {
    const heard: string[] = []
    const onNotification = (payload: string) => heard.push(payload)
    const { stop } = await listen(database.sql, 'svc_heads', { onNotification, onListening: () => undefined })
    await notifyHead(database.sql, 8453)
    await database.sql`select pg_notify('svc_heads', 'last')`
    await waitFor(() => heard.includes('last'), { what: 'the last notification', timeoutMs: 60_000 })
    await stop()
    return heard.filter((payload) => payload !== 'last')
  }
})
