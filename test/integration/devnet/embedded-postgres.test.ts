import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect } from 'chai'
import { runningServer, stopServer } from '../../devnet/embedded-postgres.ts'
import { findCommandLine } from '../../devnet/find-command-line.ts'
import { isAlive } from '../../devnet/is-alive.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { connectForTest } from '../../support/postgres.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'

const REPOSITORY = resolve(import.meta.dirname, '../../..')

/** A process id above the maximum of Linux and macOS. */
const NOBODYS_PID = 999_999_999

describe('isAlive', () => {
  it('returns true for a process of another user', async () => {
    const [pid, asSomebodyElse] = await processOfAnother()
    expect(asSomebodyElse(() => isAlive(pid))).to.equal(true)
  })

  it('returns false for an id that no process has', () => {
    expect(isAlive(NOBODYS_PID)).to.equal(false)
  })

  /**
   * Returns the id of a process of another user, and a function that runs a check of that process. Root may signal
   * every process, so as root the process runs as user 1 and the check as user 2. Other users check process 1 of root.
   */
  async function processOfAnother(): Promise<[number, (look: () => boolean) => boolean]> {
    if (process.getuid?.() !== 0) return [1, (look) => look()]
    const child = spawn('/bin/sh', ['-c', 'echo; read -r word'], {
      uid: 1,
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    await new Promise((done) => child.stdout.once('data', done))
    return [
      child.pid ?? 0,
      (look) => {
        process.seteuid?.(2)
        try {
          return look()
        } finally {
          process.seteuid?.(0)
          child.kill()
        }
      },
    ]
  }
})

describe('the PostgreSQL server of a test suite', function () {
  this.timeout(240_000)

  /** The suite's `TMPDIR`. */
  let directory: string
  let suite: { readonly process: ChildProcess; readonly output: () => string }

  beforeEach(async () => {
    directory = await temporaryDirectory('suite')
  })

  afterEach(async () => {
    suite.process.kill('SIGKILL')
    for (const server of await servers()) await stopServer(server.pid)
    await rm(directory, { recursive: true, force: true })
  })

  it('ends the suite if PostgreSQL is killed, and reports the reason', async () => {
    suite = await startSuite()
    const server = await onlyServer()
    process.kill(server.pid, 'SIGKILL')
    expect(await exitOf(suite.process, 20_000)).to.equal(1)
    expect(suite.output()).to.include(`PostgreSQL (process ${server.pid}, data in ${directory}`)
    expect(suite.output()).to.include('ended by SIGKILL although it was not stopped')
  })

  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    it(`exits after ${signal} has ended the suite`, async () => {
      suite = await startSuite()
      const server = await onlyServer()
      suite.process.kill(signal)
      await waitFor(() => !isAlive(server.pid), { what: 'PostgreSQL to end', timeoutMs: 60_000 })
    })
  }

  it('deletes data of its user’s ended suites, but not of other users or running suites', async () => {
    const uid = process.getuid?.() ?? 0
    const leftover = `stablecoin-test-postgres-${uid}-${NOBODYS_PID}-00000000`
    const kept = [
      `stablecoin-test-postgres-${uid}-${process.pid}-00000000`,
      `stablecoin-test-postgres-${uid + 1}-${NOBODYS_PID}-00000000`,
      // A name in the old format, without the user.
      `stablecoin-test-postgres-${NOBODYS_PID}`,
    ]
    for (const name of [leftover, ...kept]) {
      await mkdir(join(directory, name))
      await writeFile(join(directory, name, 'PG_VERSION'), '18\n')
    }
    suite = await startSuite()
    expect(existsSync(join(directory, leftover)), leftover).to.equal(false)
    for (const name of kept) expect(existsSync(join(directory, name, 'PG_VERSION')), name).to.equal(true)
  })

  it('is restored from the complete archive of the first suite’s cluster', async () => {
    suite = await startSuite()
    const first = await systemIdentifier()
    suite.process.kill('SIGTERM')
    await waitFor(async () => (await servers()).length === 0, {
      what: 'PostgreSQL to end',
      timeoutMs: 60_000,
    })
    suite = await startSuite()
    expect(await systemIdentifier()).to.equal(first)
    const archives = (await readdir(directory)).filter((name) => name.includes('.tar'))
    expect(archives, 'without an incomplete archive').to.have.length(1)
    expect(archives[0]).to.match(/\.tar$/)
  })

  /** Starts mocha with a suite that creates its database and then waits indefinitely. */
  async function startSuite() {
    const file = join(directory, 'waits.test.ts')
    const support = JSON.stringify(join(REPOSITORY, 'test/support/postgres.ts'))
    await writeFile(
      file,
      `import { createTestDatabase } from ${support}
      it('waits', async () => {
        const { sql } = await createTestDatabase()
        await sql\`select 1\`
        console.log('has its database')
        await new Promise((done) => setTimeout(done, 3_600_000))
      }).timeout(240_000)`,
    )
    const child = spawn('node_modules/.bin/mocha', [file], {
      cwd: REPOSITORY,
      env: { ...process.env, TMPDIR: directory },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk))
    await waitFor(() => text.includes('has its database') || child.exitCode !== null, {
      what: 'the database of the suite',
      timeoutMs: 60_000,
    })
    expect(child.exitCode, text).to.equal(null)
    return { process: child, output: () => text }
  }

  async function servers() {
    const names = await readdir(directory)
    return names.flatMap((name) => runningServer(join(directory, name)) ?? [])
  }

  async function systemIdentifier(): Promise<string> {
    const { port } = await onlyServer()
    const sql = connectForTest(`postgres://postgres@127.0.0.1:${port}/postgres`)
    const [row] = await sql<{ systemIdentifier: string }[]>`
      select system_identifier::text from pg_control_system()`
    await sql.end()
    return row?.systemIdentifier ?? 'none'
  }

  async function onlyServer() {
    const [server, ...others] = await servers()
    if (server === undefined || others.length > 0) throw new Error('expected exactly one PostgreSQL')
    expect(findCommandLine(server.pid)).to.include('postgres')
    return server
  }
})

/** Waits until a process has exited, and returns its exit code, or `null` if a signal ended it. */
async function exitOf(child: ChildProcess, timeoutMs: number): Promise<number | null> {
  await waitFor(() => child.exitCode !== null || child.signalCode !== null, {
    what: 'the process to exit',
    timeoutMs,
  })
  return child.exitCode
}
