import { expect } from 'chai'
import { readMigrations } from '../../../shared/db/migrate.ts'
import { compiled } from '../../devnet/compiled.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { insertChargeRows } from '../../support/charge-rows.ts'
import { buildCharge, getTokenAddress } from '../../support/factories.ts'
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { insertBase, insertOrganizationRow, OTHER_ADDRESS, SOME_ADDRESS } from '../../support/rows.ts'
import { runToEnd } from '../../support/run-to-end.ts'

describe('the operators’ commands', () => {
  let database: TestDatabase
  let env: Record<string, string>

  before(async () => {
    database = await createTestDatabase()
    await insertBase(database.sql)
    await insertOrganizationRow(database.sql, 'org_one')
    env = {
      OPERATOR_DATABASE_URL: database.url.operator,
      OWNER_DATABASE_URL: database.url.owner,
      TREASURY_ADDRESS: OTHER_ADDRESS,
    }
  })

  after(() => database.drop())

  for (const { name, verb } of [
    { name: 'migrate', verb: [] },
    { name: 'keys', verb: ['create'] },
    { name: 'pairs', verb: ['pause'] },
    { name: 'charges', verb: ['release'] },
    { name: 'networks', verb: ['abandon'] },
  ]) {
    it(`npm run ${name} -- --help prints its usage without a configuration`, async () => {
      const { code, output } = await run(name, ['--help'], {})
      expect({ code, names: output.includes(`npm run ${name}`) }).to.deep.equal({ code: 0, names: true })
    })

    it(`npm run ${name} prints its usage after an unknown option, and exits with 1`, async () => {
      const { code, error } = await run(name, [...verb, '--nonsense'], env)
      expect(code).to.equal(1)
      expect(error).to.include("Unknown option '--nonsense'").and.include(`npm run ${name}`)
    })
  }

  it('npm run keys names the missing setting', async () => {
    const { code, error } = await run('keys', ['list'], { ...env, OPERATOR_DATABASE_URL: '' })
    expect(code).to.equal(1)
    expect(error).to.include('OPERATOR_DATABASE_URL is not set: must be a URL such as')
  })

  it('npm run keys exits with 75 if the database is unavailable', async () => {
    const url = 'postgres://operator@127.0.0.1:1/payments'
    expect((await run('keys', ['list'], { ...env, OPERATOR_DATABASE_URL: url })).code).to.equal(75)
  })

  it('npm run keys creates, lists and revokes keys', async () => {
    const args = ['--organization', 'Acme', '--env', 'test', '--payout-address', SOME_ADDRESS]
    const flags = [
      '--create-organization',
      '--register-payout-address',
      '--scopes',
      'charges:read,sandbox:trigger',
    ]
    const created = await run('keys', ['create', ...args, ...flags], env)
    expect(created).to.include({ code: 0, error: '' })
    expect(created.output).to.match(/^key +svc_test_\w{49}$/m)
    const id = /^key id +(\w+)$/m.exec(created.output)?.[1] ?? ''
    expect((await run('keys', ['list', '--organization', 'Acme'], env)).output).to.match(
      new RegExp(`^${id} .*active +charges:read,sandbox:trigger$`, 'm'),
    )
    expect((await run('keys', ['revoke', id], env)).output).to.include(`${id} has been revoked since 2`)
  })

  it('npm run keys rejects an unknown scope, and lists the existing scopes', async () => {
    const args = [
      'create',
      '--organization',
      'A',
      '--env',
      'live',
      '--payout-address',
      SOME_ADDRESS,
      '--scopes',
      'all',
    ]
    const { code, error } = await run('keys', args, env)
    expect(code).to.equal(1)
    expect(error).to.include('--scopes has "all": must be one of charges:read, charges:write')
  })

  it('npm run pairs pauses and resumes a pair', async () => {
    expect((await run('pairs', ['pause', 'USDC', 'base', '--env', 'live'], env)).output).to.equal(
      'USDC on base (live) is paused.\n',
    )
    expect((await run('pairs', ['list'], env)).output).to.match(/^live +base +USDC +8453 +paused since 2/m)
    await run('pairs', ['resume', 'usdc', 'base', '--env', 'live'], env)
    expect((await run('pairs', ['list'], env)).output).to.match(/^live +base +USDC +8453 +enabled$/m)
  })

  it('npm run pairs rejects a pair that was never enabled', async () => {
    const { code, error } = await run('pairs', ['pause', 'USDT', 'base', '--env', 'live'], env)
    expect({ code, error }).to.deep.equal({
      code: 1,
      error: 'USDT on base (live) was never enabled: see npm run pairs -- list\n',
    })
  })

  it('npm run accounting reports missing entries, adds them, and then reports none, with the operator’s role', async () => {
    const charge = buildCharge()
    await insertChargeRows(database.sql, [charge])
    await database.sql`
      insert into transfers (charge_id, network, token, source, chain_id, token_address, tx_hash, ordinal, sender, value_atomic,
        amount_atto, accepted, inclusion, block_number, block_hash, log_index, block_timestamp, credited_at, on_time, agreed_at,
        agreed_by)
      values (${charge.id}, 'base', 'USDC', 'contract_watcher', 8453, ${getTokenAddress('base')}, '0xa1', 0, ${SOME_ADDRESS},
        10000000, 10000000000000000000, true, 'included', 7, '0xb1', 0, 1795000000, now(), true, now(), '{before-quorum}')`
    await database.sql`update charges set received_atto = 10000000000000000000 where id = ${charge.id}`
    const missing = await run('accounting', ['check'], env)
    expect(missing).to.include({ code: 1, output: '' })
    expect(missing.error).to.include('Missing entries: 1.')
    const rebuilt = await run('accounting', ['rebuild'], env)
    expect(rebuilt).to.include({ code: 0, error: '' })
    expect(rebuilt.output).to.include('Missing entries (added): 1.')
    const right = await run('accounting', ['check'], env)
    expect(right).to.include({ code: 0, error: '' })
    expect(right.output).to.include('Missing entries: 0.\nEntries that differ from the ledgers: 0.')
  })

  it('npm run charges lists the quarantined charges and releases a charge', async () => {
    const [parked, other] = [buildCharge(), buildCharge()]
    await insertChargeRows(database.sql, [parked, other])
    await database.sql`update charges set quarantined_at = '2026-11-20T12:00:00Z' where id = ${parked.id}`
    const listed = await run('charges', ['quarantined'], env)
    expect(listed.output).to.match(
      new RegExp(`^${parked.id} +org_one +live +pending +- +2026-11-20T12:00:00.000Z$`, 'm'),
    )
    expect(listed.output).not.to.include(other.id)

    expect(await run('charges', ['release', parked.id], env)).to.deep.equal({
      code: 0,
      output: `${parked.id}, quarantined since 2026-11-20T12:00:00.000Z, is released.\n`,
      error: '',
    })
    expect((await run('charges', ['quarantined'], env)).output).not.to.include(parked.id)
    expect(await run('charges', ['release', parked.id], env)).to.deep.equal({
      code: 1,
      output: '',
      error: `${parked.id} is not quarantined: see npm run charges -- quarantined\n`,
    })
  })

  it('npm run charges lists charges whose expiry is blocked, and records the reason of an order to expire a charge', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000)
    const [held, open] = [buildCharge({ expiresAt: new Date() }), buildCharge({ expiresAt })]
    await insertChargeRows(database.sql, [held, open])
    await database.sql`
      insert into expiry_verifications (charge_id, chain_id, result, block_number, block_timestamp, checked_at, next_attempt_at,
        token_address, expected_atomic, found_atomic)
      values (${held.id}, 8453, 'excess', 1, 1, '2026-11-20T12:00:00Z', now(), '0xc0', 0, 5)`
    const line = new RegExp(`^${held.id} .* live +pending +base +excess +0xc0 +0 +5 +2026-11-20T12`, 'm')
    expect((await run('charges', ['blocked'], env)).output).to.match(line)
    const unreasoned = await run('charges', ['expire', held.id], env)
    expect(unreasoned).to.deep.include({ code: 1, error: 'expire requires a reason: --reason TEXT\n' })
    const early = await run('charges', ['expire', open.id, '--reason', 'impatience'], env)
    expect(early.code).to.equal(1)
    expect(early.error)
      .to.include(`${open.id} is pending, expiresAt`)
      .and.include('its expiry is not blocked')

    const ordered = await run('charges', ['expire', held.id, '--reason', 'an airdrop'], env)
    expect(ordered.output).to.include(`${held.id} expires regardless of its balances`)
    expect((await run('charges', ['blocked'], env)).output).not.to.include(held.id)
    const orders = await database.sql`select charge_id, reason, ordered_by from expiry_overrides`
    expect(orders).to.have.length(1)
    expect(orders[0]).to.include({ chargeId: held.id, reason: 'an airdrop' })
    expect(orders[0]?.['orderedBy']).to.be.a('string').and.not.equal('')
  })

  it('npm run charges shows the rows of a charge, and records the reason of an order to strike a row', async () => {
    const charge = buildCharge()
    await insertChargeRows(database.sql, [charge])
    const [row] = await database.sql<{ id: number }[]>`
      insert into transfers (charge_id, network, token, source, chain_id, token_address, tx_hash, ordinal, sender,
        value_atomic, amount_atto, accepted, inclusion, block_number, block_hash, block_timestamp, log_index, credited_at)
      select ${charge.id}, 'base', 'USDC', 'contract_watcher', chain_id, '0xc0', '0xf00d', 0, '0xab', 5000000,
        5000000000000000000, true, 'included', 7, '0xb1', 1, 0, '2026-11-20T12:00:00Z' from deployments
      where network = 'base' and environment = 'live'
      returning id`
    const name = `transfer:${row?.id}`
    const line = new RegExp(`^${name} +transfer +base +USDC +5 +0xf00d +7 +2026-11-20T12.*included +-$`, 'm')
    expect((await run('charges', ['show', charge.id], env)).output).to.match(line)

    const striking = run('charges', ['strike', name, '--reason', 'no explorer has it'], env)
    const answer = 'no response from a.example (503)'
    await answerStrike(answer)
    expect(await striking).to.deep.equal({
      code: 1,
      output: `${name} is not struck: ${answer}.\n`,
      error: '',
    })
    const [order] = await database.sql`select reason, ordered_by from strike_orders`
    expect(order).to.include({ reason: 'no explorer has it' })
    expect(order?.['orderedBy']).to.be.a('string').and.not.equal('')
    expect((await run('charges', ['show', charge.id], env)).output).to.match(
      /refused by .*: no response from a/,
    )
  })

  for (const [title, args, message] of [
    ['no rows', ['--reason', 'why'], 'strike takes rows such as transfer:12; see npm run charges -- show'],
    ['no reason', ['transfer:1'], '--reason'],
    [
      'an invalid row name',
      ['ch_1', '--reason', 'why'],
      '"ch_1" must be one of transfer, split-event, escrow-transfer',
    ],
    [
      'a row that does not count',
      ['transfer:999999', '--reason', 'why'],
      'transfer:999999: not found, not counted or already struck',
    ],
    [
      'too many rows',
      [...Array.from({ length: 21 }, (_, at) => `transfer:${at}`), '--reason', 'w'],
      'above the maximum of 20',
    ],
  ] as const)
    it(`npm run charges rejects a strike order with ${title}`, async () => {
      const { code, error } = await run('charges', ['strike', ...args], env)
      expect(code).to.equal(1)
      expect(error).to.include(message)
    })

  /** Waits for the strike order, and rejects it with this response, as the daemon would. */
  async function answerStrike(answer: string): Promise<void> {
    const refuse = () => database.sql`
      update strike_orders set decided_at = now(), outcome = 'refused', answer = ${answer}
      where decided_at is null returning id`
    await waitFor(async () => (await refuse()).length > 0, {
      what: 'the order to be rejected',
      timeoutMs: 20_000,
    })
  }

  it('npm run charges rejects an unknown charge', async () => {
    expect(await run('charges', ['release', 'ch_none'], env)).to.deep.include({
      code: 1,
      error: 'there is no charge "ch_none"\n',
    })
  })

  it('npm run networks orders the repair of a feed, and lists the pending order', async () => {
    const place = ['base', '--env', 'live']
    await database.sql`update deployments set feed_ahead_since = now()`
    expect((await run('networks', ['list'], env)).output).to.match(
      /ahead of its chain since 2.*: see repair$/m,
    )
    const ordered = await run('networks', ['repair', ...place, '--from-block', '7'], env)
    expect(ordered.output).to.include('Ordered a repair of the feed of base (live), from block 7.')
    expect((await run('networks', ['list'], env)).output).to.match(/repair ordered at 2/)
    const order = () =>
      database.sql`select repair_from_block, repair_requested_at is not null as is_ordered from deployments`
    expect(await order()).to.deep.equal([{ repairFromBlock: 7, isOrdered: true }])
    await run('networks', ['repair', ...place], env)
    expect(await order()).to.deep.equal([{ repairFromBlock: null, isOrdered: true }])
    await database.sql`update deployments set feed_ahead_since = null, repair_requested_at = null`
  })

  it('npm run networks rejects an invalid block for a repair, and the repair of a network that was never watched', async () => {
    const wrong = await run('networks', ['repair', 'base', '--env', 'live', '--from-block', '-1x'], env)
    expect(wrong.code).to.equal(1)
    const unknown = await run('networks', ['repair', 'bnb', '--env', 'live'], env)
    expect(unknown).to.include({
      code: 1,
      error: 'bnb (live) was never watched: see npm run networks -- list\n',
    })
  })

  it('npm run networks abandons a network and resumes it', async () => {
    await database.sql`
      update deployments set head_number = 100, confirmed_head_timestamp = extract(epoch from timestamptz '2026-11-20T12:00:00Z')`
    const place = ['base', '--env', 'live']
    const followed = /^live +base +8453 +100 +2026-11-20T12:00:00.000Z +followed$/m
    expect((await run('networks', ['list'], env)).output).to.match(followed)
    const abandoned = await run('networks', ['abandon', ...place], env)
    expect(abandoned.output)
      .to.match(/^base \(live\) has been abandoned since 2/)
      .and.include('expire without waiting')
    const since = /since (.*)\.$/m.exec(abandoned.output)?.[1] ?? ''
    expect((await run('networks', ['list'], env)).output).to.include(`abandoned since ${since}`)

    expect((await run('networks', ['abandon', ...place], env)).output, 'again').to.equal(abandoned.output)
    expect((await run('networks', ['resume', ...place], env)).output).to.include(
      'base (live) is not abandoned',
    )
    expect((await run('networks', ['list'], env)).output).to.match(followed)
  })

  for (const { flaw, args, message } of [
    {
      flaw: 'that was never watched',
      args: ['bnb', '--env', 'live'],
      message: 'bnb (live) was never watched',
    },
    {
      flaw: 'that does not exist',
      args: ['solana', '--env', 'live'],
      message: 'the network is solana: must be one of',
    },
    {
      flaw: 'in an unknown environment',
      args: ['base', '--env', 'dev'],
      message: '--env is "dev": must be live or test',
    },
  ]) {
    it(`npm run networks does not abandon a network ${flaw}`, async () => {
      const { code, error } = await run('networks', ['abandon', ...args], env)
      expect(code).to.equal(1)
      expect(error).to.include(message)
    })
  }

  it('npm run migrate lists the pending migrations, applies them once, and rejects an applied migration that has changed', async () => {
    const empty = await createTestDatabase({ isMigrated: false })
    const own = { OWNER_DATABASE_URL: empty.url.owner }
    try {
      const files = readMigrations().map(({ id }) => id)
      const pending = await run('migrate', ['--pending'], own)
      expect(pending.output).to.equal(files.map((id) => `Pending ${id}\n`).join(''))
      expect((await run('migrate', [], own)).output).to.equal(files.map((id) => `Applied ${id}\n`).join(''))
      expect((await run('migrate', [], own)).output).to.equal('The schema is up to date.\n')
      await empty.sql`update schema_migrations set checksum = 'other' where id = '000001_roles'`
      expect(await run('migrate', [], own)).to.deep.include({ code: 1, output: '' })
    } finally {
      await empty.drop()
    }
  })
})

/** Runs a command with only these settings in its environment. */
async function run(name: string, args: readonly string[], settings: Record<string, string>) {
  return runToEnd(await compiled(`indexer/commands/${name}.ts`), args, settings)
}
