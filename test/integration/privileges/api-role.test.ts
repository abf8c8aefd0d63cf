import { expect } from 'chai'
import { createCheckWorker } from '../../../indexer/charge-checks/check-worker.ts'
import { processTrigger } from '../../../indexer/charges/trigger-worker.ts'
import { processWebhookRequests } from '../../../indexer/webhooks/process-requests.ts'
import { insertCharges } from '../../../shared/db/charges/api/insert-charges.ts'
import { errorCode, type Sql } from '../../../shared/db/connect.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { STALE_AFTER } from '../../support/rows.ts'
import { ATTEMPTS } from './attempts.ts'
import { buildTronCharge, chargeOf, newChargeOf, setWorld, type World } from './world.ts'

/** The adversary has the API's database connection, and tries every write that the schema allows (`attempts.ts`). */
describe('an adversary with the API’s role', function () {
  this.timeout(240_000)
  let world: World
  let daemon: Sql

  before(async () => {
    world = await setWorld()
    daemon = world.daemon
  })
  after(() => world.close())

  it('tries every write that the role is granted', async () => {
    const granted = await grantsOf(world.owner, 'svc_api')
    const tried = new Set(ATTEMPTS.flatMap(({ uses }) => uses))
    expect(granted.filter((grant) => !tried.has(grant))).to.deep.equal([])
    expect([...tried].filter((grant) => !granted.includes(grant))).to.deep.equal([])
  })

  it('cannot get an advisory lock, large object or temporary table', async () => {
    const rows = await world.api<{ may: string }[]>`
      select oid::regprocedure::text as may from pg_proc
      where has_function_privilege(oid, 'execute') and pronamespace = 'pg_catalog'::regnamespace
        and proname ~ '^(pg_(try_)?advisory_(xact_)?lock|lo_(creat|import|from_bytea))'
      union all select 'temporary' where has_database_privilege(current_database(), 'temporary')`
    expect(rows).to.deep.equal([])
  })

  for (const attempt of ATTEMPTS) {
    it(`${attempt.outcome === 'refused' ? 'is rejected' : 'gains no payment'}: ${attempt.title}`, async () => {
      const before = await world.whatIsPaid()
      const code = await codeOf(attempt.try(world.api, world))
      expect(code).to.equal(attempt.outcome === 'refused' ? (attempt.code ?? '23514') : 'done')
      await letDaemonWork()
      expect(await world.whatIsPaid()).to.deep.equal(before)
    })
  }

  describe('without the schema’s own checks', () => {
    const turn = async (how: 'disable' | 'enable'): Promise<void> => {
      await world.owner.unsafe(`alter table requests ${how} trigger requests_validate`)
      await world.owner.unsafe(`alter table transfers ${how} trigger transfers_require_sandbox_charge`)
    }
    before(() => turn('disable'))
    after(() => turn('enable'))

    for (const { title, try: tryOnce } of ATTEMPTS.filter(({ title: text }) => text.includes('trigger'))) {
      it(`gains no payment: ${title}`, async () => {
        await codeOf(tryOnce(world.api, world))
        await letDaemonWork()
        expect(await world.whatIsPaid()).to.deep.equal(world.nothing)
      })
    }
  })

  it('cannot make the daemon simulate a payment of a live charge', async () => {
    const credit = daemon`
      insert into transfers (charge_id, network, token, source, request_id, value_atomic, amount_atto, accepted,
        inclusion)
      values (${world.victims.live}, 'base', 'USDC', 'sandbox', 'req_one', 1, 1, true, 'included')`
    expect(await codeOf(credit)).to.equal('23514')
  })

  it('gains no payment by all attempts together', async () => {
    await letDaemonWork()
    expect(await world.whatIsPaid()).to.deep.equal(world.nothing)
  })

  describe('the test itself', () => {
    // These tests come last, because they credit a charge.
    it('would detect a gain: the same payment credits a valid charge of the API', async () => {
      const charge = chargeOf()
      await insertCharges(world.api, [newChargeOf(charge)], STALE_AFTER)
      await letDaemonWork()
      expect((await world.whatIsPaid()).credits).to.deep.equal([{ chargeId: charge.id }])
    })

    it('would detect a gain on TRON: a valid charge of the API is accepted there', async () => {
      const [made] = await insertCharges(world.api, [newChargeOf(buildTronCharge())], STALE_AFTER)
      expect(made?.outcome).to.equal('created')
    })
  })

  async function letDaemonWork(): Promise<void> {
    const { log } = recordingLog()
    await settle(() => processTrigger(world.actor))
    const checks = createCheckWorker({
      ...{ sql: daemon, chains: [], now: () => new Date(), log, onFree: () => undefined },
      takeTurn: () => Promise.resolve(),
    })
    await checks.turn()
    await checks.settle()
    await settle(() =>
      processWebhookRequests({ sql: daemon, log, clock: () => new Date(), onDue: () => undefined }),
    )
    await world.payEveryCharge()
    await settle(world.takeTurns)
  }
})

async function settle(turn: () => Promise<'more' | 'idle'>): Promise<void> {
  for (let turns = 0; turns < 100; turns += 1) if ((await turn()) === 'idle') return
  throw new Error('turns are still due after 100 turns')
}

/** Lists the privileges of a role to write, as `table.column INSERT`, `table DELETE` and `function() EXECUTE`. */
async function grantsOf(sql: Sql, role: string): Promise<readonly string[]> {
  const rows = await sql<{ name: string }[]>`
    select table_name || '.' || column_name || ' ' || privilege_type as name from information_schema.column_privileges
    where grantee = ${role} and table_schema = 'public' and privilege_type <> 'SELECT'
      and table_name <> 'rate_limits'
    union all
    select table_name || ' ' || privilege_type from information_schema.table_privileges
    where grantee = ${role} and table_schema = 'public'
      and (privilege_type not in ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES') or table_name = 'rate_limits')
      and privilege_type <> 'SELECT'
    union all
    select routine_name || '() EXECUTE' from information_schema.routine_privileges
    where grantee in (${role}, 'PUBLIC') and routine_schema = 'public'
    order by 1`
  return rows.map(({ name }) => name)
}

async function codeOf(work: PromiseLike<unknown>): Promise<string> {
  try {
    await work
    return 'done'
  } catch (error) {
    return errorCode(error) ?? String(error)
  }
}
