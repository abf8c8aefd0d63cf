import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'chai'
import { readCommitSetting } from '../../../shared/db/commit-setting.ts'
import { createCommitCheck } from '../../../shared/runtime/commit-check.ts'
import { ConfigError } from '../../../shared/runtime/config-error.ts'
import { claimPort } from '../../devnet/claim-port.ts'
import { compiled } from '../../devnet/compiled.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'

const WAIT_MS = 60_000
const TREASURY = `0x${'77'.repeat(20)}`

describe('the check of synchronous_commit', function () {
  this.timeout(4 * WAIT_MS)
  let database: TestDatabase
  let child: ChildProcess | null = null

  before(async () => {
    database = await createTestDatabase()
  })

  afterEach(async () => {
    for (const role of ['api', 'daemon', 'operator', 'owner']) await set(role, null)
    if (child !== null && child.exitCode === null) {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }
    child = null
  })

  after(() => database?.drop())

  for (const [value, isRefused] of [
    ['on', false],
    ['remote_write', false],
    ['remote_apply', false],
    ['local', true],
    ['off', true],
  ] as const)
    it(`${isRefused ? 'rejects' : 'accepts'} a session with synchronous_commit ${value}`, async () => {
      await set('daemon', value)
      const refusal = await check({ isOn: true })
      if (isRefused)
        expect(refusal).to.include(`synchronous_commit of the database user test_daemon is ${value}: must be`)
      else expect(refusal).to.equal(null)
    })

  it('accepts every session while the check is disabled', async () => {
    await set('daemon', 'off')
    expect(await check({ isOn: false })).to.equal(null)
  })

  for (const [name, role] of [
    ['api', 'api'],
    ['indexer', 'daemon'],
  ] as const) {
    it(`stops the ${name} at startup if the setting is off, and names the required change`, async () => {
      await set(role, 'off')
      const { log, exitCode } = await run(name)
      expect(await exitCode()).to.equal(1)
      expect(log()).to.include(`alter role test_${role} set synchronous_commit = on`)
      expect(log(), 'before any other part has started').to.match(
        /"Could not start","part":"database"|"part":"database".*"Could not start"/,
      )
    })

    it(`stops a running ${name} soon after it opens a session with the setting off`, async () => {
      const { log, exitCode, internalPort } = await run(name)
      await waitFor(() => log().includes('"Started"'), { what: 'the process to start', timeoutMs: WAIT_MS })
      await set(role, 'off')
      await database.administer(`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = '${database.name}' and usename = 'test_${role}'`)
      const isOver = async () => {
        // Orchestrators send this request every few seconds.
        await fetch(`http://127.0.0.1:${internalPort}/readyz`).catch(() => undefined)
        return child?.exitCode !== null
      }
      await waitFor(isOver, { what: 'the process to exit', timeoutMs: WAIT_MS })
      expect(await exitCode()).to.equal(1)
      expect(log()).to.include(`synchronous_commit of the database user test_${role} is off`)
    })
  }

  it('does not stop the api while the check is disabled', async () => {
    await set('api', 'off')
    const { log } = await run('api', { SYNCHRONOUS_COMMIT_CHECK: 'off' })
    await waitFor(() => log().includes('"Started"'), { what: 'the process to start', timeoutMs: WAIT_MS })
  })

  for (const [name, role, args] of [
    ['commands/pairs', 'operator', ['list']],
    ['commands/migrate', 'owner', ['--pending']],
  ] as const)
    it(`rejects the session of the operator’s command indexer/${name}.ts`, async () => {
      await set(role, 'off')
      const { log, exitCode } = await run(name, {}, args)
      expect(await exitCode()).to.equal(1)
      expect(log()).to.include(`synchronous_commit of the database user test_${role} is off`)
    })

  /** Sets synchronous_commit for new sessions of a role, or resets it. */
  async function set(role: string, value: string | null): Promise<void> {
    const change = value === null ? 'reset synchronous_commit' : `set synchronous_commit = ${value}`
    await database.administer(`alter role test_${role} in database ${database.name} ${change}`)
  }

  /** Returns the reason why a new session of the daemon is rejected, or `null` if it is accepted. */
  async function check({ isOn }: { readonly isOn: boolean }): Promise<string | null> {
    const sql = connectForTest(database.url.daemon)
    try {
      await createCommitCheck({ isOn, read: () => readCommitSetting(sql) })()
      return null
    } catch (error) {
      expect(error).to.be.instanceOf(ConfigError)
      return (error as ConfigError).message
    } finally {
      await sql.end()
    }
  }

  async function run(
    name: string,
    more: Readonly<Record<string, string>> = {},
    args: readonly string[] = [],
  ) {
    const internalPort = await claimPort()
    const { url } = database
    const script = name === 'api' ? 'api/main.ts' : `indexer/${name === 'indexer' ? 'main' : name}.ts`
    const started = spawn(process.execPath, [await compiled(script), ...args], {
      env: {
        ...{ PATH: process.env['PATH'], TREASURY_ADDRESS: TREASURY, DEPLOYMENTS: 'bnb:live' },
        ...{ API_DATABASE_URL: url.api, INDEXER_DATABASE_URL: url.daemon, PONDER_DATABASE_URL: url.ponder },
        ...{ OPERATOR_DATABASE_URL: url.operator, OWNER_DATABASE_URL: url.owner, API_PORT: '0' },
        ...{ API_INTERNAL_PORT: String(internalPort), INDEXER_INTERNAL_PORT: String(internalPort) },
        ...{ CURSOR_SECRET: 'a secret of thirty-two characters', ...more },
      },
    })
    child = started
    let text = ''
    for (const output of [started.stdout, started.stderr]) output.on('data', (part) => (text += String(part)))
    const exitCode = async () => {
      await waitFor(() => started.exitCode !== null, { what: 'the process to exit', timeoutMs: WAIT_MS })
      return started.exitCode
    }
    return { log: () => text, exitCode, internalPort }
  }
})
