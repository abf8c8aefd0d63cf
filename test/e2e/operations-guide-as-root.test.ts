import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect } from 'chai'
import { claimPort } from '../devnet/claim-port.ts'
import { type ShellSession, startShell } from '../support/shell-session.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { readMarkedBlocks } from '../support/tested-code-blocks.ts'

const REPOSITORY = resolve(import.meta.dirname, '../..')
/** The guide's user. */
const USER = 'payments'
/** Directory of the programs of the newest PostgreSQL that Debian's packages have installed. */
const BINARIES = findBinaries()
/** The guide's directories. */
const DIRECTORIES = ['/opt/payments', '/etc/payments', '/var/log/payments']

const isLong = process.env['TEST_LONG'] === '1' // oxlint-disable-line no-process-env -- the duration is a setting of the run
const reason = findReasonToSkip()

// The blocks change the machine, so only `npm run test:long` executes them, as root, and only if the guide's user and
// directories do not exist.
if (reason !== null) console.log(`  skipped, because ${reason}: the blocks of the guide that need root`)
else
  describe('the blocks of the operations guide that need root', function () {
    this.timeout(900_000)
    let blocks: readonly string[]
    let server: { port: number; stop: () => void }
    let shell: ShellSession
    let backups: string

    before(async () => {
      blocks = await readMarkedBlocks('docs/operations.md', 'test/e2e/operations-guide-as-root.test.ts')
      const directory = await temporaryDirectory('guide-as-root')
      chmodSync(directory, 0o777)
      server = await startServer(join(directory, 'postgres'))
      backups = join(directory, 'backups')
      mkdirSync(backups, { mode: 0o777 })
      shell = openShell({ DATABASE: `127.0.0.1:${server.port}` }, '/')
    })

    after(async () => {
      await shell?.stop()
      server?.stop()
      spawnSync('userdel', [USER])
      for (const path of DIRECTORIES) rmSync(path, { recursive: true, force: true })
    })

    it('are the four blocks that these tests run', () => {
      expect(blocks.map((block) => block.split(' ')[0])).to.deep.equal([
        'useradd',
        'git',
        'psql',
        'pg_basebackup',
      ])
    })

    it('create the user and the directories, which only the user, its group and root can read', async () => {
      await shell.run(block('useradd'))
      const uid = Number(execFileSync('id', ['-u', USER], { encoding: 'utf8' }))
      for (const path of DIRECTORIES) {
        expect(statSync(path).uid, path).to.equal(uid)
        expect(statSync(path).mode & 0o777, path).to.equal(0o750)
      }
      expect(readdirSync('/opt/payments')).to.deep.equal([])
    })

    it('check out and build this commit as the guide’s user', async () => {
      const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: REPOSITORY, encoding: 'utf8' }).trim()
      // Git clones only from a repository of the same user.
      const origin = join(backups, '../origin.git')
      execFileSync('git', ['clone', '--quiet', '--bare', REPOSITORY, origin])
      execFileSync('chown', ['-R', USER, origin])
      const script = block('git')
        .replace('https://example.com/stablecoin-payment-service.git', `file://${origin}`)
        .replace('v0.1.0', commit)
        // Links this checkout's packages, because the test must not need a registry.
        .replace('npm ci', `ln -s ${REPOSITORY}/node_modules node_modules`)
      await shell.run(`cd /opt/payments && runuser -u ${USER} -- bash -euo pipefail <<'END'\n${script}\nEND`)
      expect(existsSync('/opt/payments/dist/api/main.js')).to.equal(true)
    })

    it('create the roles and the database', async () => {
      await shell.run(
        'OWNER=a1 API=a2 INDEXER=a3 PONDER=a4 OPERATOR=a5; export PGHOST=127.0.0.1 PGUSER=postgres',
      )
      await shell.run(`export PGPORT=${server.port}; cd ${REPOSITORY}`)
      await shell.run(block('psql'))
      const roles = await shell.run(
        `psql -Atc "select rolname from pg_roles where rolname like 'payments%' order by 1"`,
      )
      expect(roles.trim().split('\n')).to.deep.equal(
        ['api', 'daemon', 'operator', 'owner', 'ponder'].map((role) => `payments_${role}`),
      )
    })

    it('make a base backup', async () => {
      await shell.run(block('pg_basebackup').replace('/var/backups', backups))
      const [made = ''] = readdirSync(backups)
      expect(existsSync(join(backups, made, 'PG_VERSION'))).to.equal(true)
    })

    function block(start: string): string {
      const found = blocks.find((text) => text.startsWith(start))
      if (found === undefined) throw new Error(`the guide has no block that begins with ${start}`)
      return found
    }
  })

function openShell(env: Readonly<Record<string, string>>, cwd: string): ShellSession {
  const { PATH = '', HOME = '' } = process.env
  return startShell({ cwd, env: { PATH, HOME, ...env }, timeoutMs: 600_000 })
}

/** Starts the installed PostgreSQL, because `pg_basebackup` requires a server of its own version. */
async function startServer(dataDirectory: string): Promise<{ port: number; stop: () => void }> {
  const as = ['-u', 'postgres', '--', 'env', '-C', '/']
  const run = (program: string, args: readonly string[]) =>
    execFileSync('runuser', [...as, join(BINARIES, program), ...args], { stdio: 'ignore' })
  const port = await claimPort()
  run('initdb', ['-D', dataDirectory, '-U', 'postgres', '-A', 'trust'])
  run('pg_ctl', ['start', '-w', '-D', dataDirectory, '-o', `-p ${port} -k ${dataDirectory} -h 127.0.0.1`])
  return { port, stop: () => run('pg_ctl', ['stop', '-D', dataDirectory, '-m', 'immediate']) }
}

function findBinaries(): string {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root).map(Number) : []
  return join(root, String(Math.max(0, ...versions)), 'bin')
}

function findReasonToSkip(): string | null {
  if (!isLong) return 'this is not `npm run test:long`'
  if (process.getuid?.() !== 0) return 'the run is not root'
  for (const program of ['useradd', 'runuser', 'git', 'psql', 'pg_basebackup', join(BINARIES, 'postgres')])
    if (spawnSync(program, ['--version']).error !== undefined) return `${program} is not installed`
  const existing = DIRECTORIES.find((path) => existsSync(path))
  if (existing !== undefined) return `${existing} exists`
  return spawnSync('id', [USER]).status === 0 ? `the user ${USER} exists` : null
}
