import { expect } from 'chai'
import { listNodeTrusts } from '../../../shared/db/chain-facts/daemon/node-trusts.ts'
import { compiled } from '../../devnet/compiled.ts'
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { insertBase, OTHER_ADDRESS } from '../../support/rows.ts'
import { runToEnd } from '../../support/run-to-end.ts'

const PLACE = ['--network', 'base', '--env', 'live'] as const
const WHY = ['--reason', 'the other node is down'] as const

describe('the command to trust a single node', () => {
  let database: TestDatabase

  before(async () => {
    database = await createTestDatabase()
    await insertBase(database.sql)
  })

  after(() => database.drop())

  it('lets one node decide without a quorum for a limited time, or until the operator ends the trust', async () => {
    const { code, output, error } = await run(['trust', 'one.example', ...PLACE, '--for', '30m', ...WHY])
    expect(code, error).to.equal(0)
    expect(output).to.include('one.example decides without a quorum for base (live) until')
    const [order] = await listNodeTrusts(database.sql)
    expect(order).to.include({ node: 'one.example', reason: WHY[1] })
    const minutes = ((order?.endsAt.getTime() ?? 0) - Date.now()) / 60_000
    expect(minutes).to.be.within(25, 31)
    expect((await run(['distrust', 'base', '--env', 'live'])).code).to.equal(0)
    expect(await listNodeTrusts(database.sql)).to.deep.equal([])
  })

  for (const [title, args, why] of [
    ['a duration above one day', ['one.example', ...PLACE, '--for', '25h', ...WHY], '--for is "25h"'],
    ['no duration', ['one.example', ...PLACE, ...WHY], 'for'],
    ['no reason', ['one.example', ...PLACE, '--for', '1h'], 'reason'],
    ['no node', [...PLACE, '--for', '1h', ...WHY], 'name one node'],
  ] as const)
    it(`rejects an order with ${title}`, async () => {
      const { code, error } = await run(['trust', ...args])
      expect(code).to.equal(1)
      expect(error.split('\n')[0]).to.include(why)
      expect(await listNodeTrusts(database.sql)).to.deep.equal([])
    })

  it('is backed by a check in the database that rejects trust for more than a day', async () => {
    const inserting = database.sql`
      insert into node_trusts (chain_id, node, reason, ends_at)
      select chain_id, 'one.example', 'a test', now() + interval '25 hours' from deployments limit 1`
    const failure = await inserting.then(
      () => 'inserted',
      (error: Error) => error.message,
    )
    expect(failure).to.include('violates check constraint')
  })

  async function run(args: readonly string[]) {
    const env = { OPERATOR_DATABASE_URL: database.url.operator, TREASURY_ADDRESS: OTHER_ADDRESS }
    return runToEnd(await compiled('indexer/commands/networks.ts'), args, env)
  }
})
