import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'chai'
import { clearPonderLock } from '../../../shared/db/chain-facts/daemon/ponder-maintenance.ts'
import type { Address } from '../../../shared/domain/address.ts'
import type { DeploymentConfig } from '../../../shared/runtime/networks-config.ts'
import { compiled } from '../../devnet/compiled.ts'
import { isAlive } from '../../devnet/is-alive.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { transferLog } from '../../support/ponder-chain.ts'
import {
  createPonderFixture,
  createTestFeed,
  PONDER_TIMEOUT_MS,
  type Stage,
} from '../../support/ponder-fixture.ts'

const USDT = `0x${'d0'.repeat(20)}` as Address

/**
 * Runs only with TEST_LONG, because it takes half a minute. In every run, chaos/kill-points and silent-owner test the
 * death of a Ponder and of a daemon.
 */
const long = process.env['TEST_LONG'] === '1' ? it : () => undefined

describe('a chain feed whose processes end and change', function () {
  this.timeout(2 * PONDER_TIMEOUT_MS)

  let stage: Stage
  let feed: ReturnType<typeof createTestFeed> | null = null
  const daemons = new Set<ChildProcess>()

  before(async () => {
    stage = await createPonderFixture()
  })

  after(async () => {
    for (const daemon of daemons) daemon.kill('SIGKILL')
    await feed?.stop()
    await stage?.close()
  })

  async function startFeed(deployment: DeploymentConfig = stage.deployment) {
    feed = createTestFeed(stage, { deployment })
    await feed.start()
    return feed
  }

  function withUsdt(): DeploymentConfig {
    const tokens = stage.deployment.tokens.flatMap((usdc) => [
      usdc,
      { ...usdc, token: 'USDT' as const, address: USDT },
    ])
    return { ...stage.deployment, tokens }
  }

  /** Pays a new charge in a separate block, and returns a function that waits until the payment is recorded. */
  async function payInABlock(token?: Address) {
    const charge = await stage.addCharge({ acceptedPayments: ['USDC/base', 'USDT/base'] })
    if (token) await stage.chain.speak(token, [transferLog({ to: charge.address, amount: 5n })])
    else await stage.pay(charge.address, 5n)
    await stage.chain.mine()
    return {
      isRecorded: () =>
        waitFor(
          async () => {
            const rows = await stage.transfersTo(charge.address)
            return rows.length === 1 && rows[0]?.inclusion === 'included'
          },
          { what: 'the payment to be recorded', timeoutMs: PONDER_TIMEOUT_MS },
        ),
    }
  }

  long(
    'records payments while its Ponder is killed and restarts, and loses no recorded payment',
    async () => {
      const running = await startFeed()
      const before = await payInABlock()
      await before.isRecorded()
      for (const pid of pondersOf(process.pid)) process.kill(pid, 'SIGKILL')
      const during = await payInABlock()
      await during.isRecorded()
      await before.isRecorded()
      expect(running.counts.missing).to.equal(0)
    },
  )

  it('records payments made while none of our processes ran, no matter how many blocks have become final', async () => {
    await feed?.stop()
    const early = await payInABlock()
    await stage.chain.mine(70)
    const late = await payInABlock()
    const running = await startFeed()
    await early.isRecorded()
    await late.isRecorded()
    const [mark] = await stage.sql<{ watermarkNumber: number }[]>`select watermark_number from deployments`
    expect(mark?.watermarkNumber).to.be.greaterThan(30)
    expect(running.counts.missing).to.equal(0)
  })

  it('stores only heads from the watermark on', async () => {
    const [range] = await stage.sql`
      select min(number) >= (select watermark_number from deployments) as is_short from chain_heads`
    expect(range).to.deep.equal({ isShort: true })
  })

  it('watches with the old generation until the new generation with another token has caught up', async () => {
    const before = feed ?? (await startFeed())
    await stage.level()
    await before.stop()
    const old = await stage.schema()
    // The new generation cannot complete its backfill yet. The old generation needs no old blocks.
    let release: () => void = () => undefined
    const stall = new Promise<void>((resolve) => {
      release = resolve
    })
    stage.proxy.rule(async (method, params): Promise<'pass'> => {
      if (method === 'eth_getLogs' && JSON.stringify(params).includes(USDT.slice(2))) await stall
      return 'pass'
    })
    const running = await startFeed(withUsdt())
    const watched = await payInABlock()
    await watched.isRecorded()
    expect(await stage.schema()).to.equal(old)
    const [offered] = await stage.sql`select from pairs where token = 'USDT'`
    expect(offered, 'published before it is watched').to.equal(undefined)

    release()
    stage.proxy.rule(() => 'pass')
    await waitFor(async () => (await stage.schema()) !== old, {
      what: 'the switch to the new generation',
      timeoutMs: PONDER_TIMEOUT_MS,
    })
    const inUsdt = await payInABlock(USDT)
    const inUsdc = await payInABlock()
    await inUsdt.isRecorded()
    await inUsdc.isRecorded()
    await watched.isRecorded()
    expect(running.counts.missing).to.equal(0)
    expect(pondersOf(process.pid)).to.have.length(1)
  })

  long('continues to watch a pair that is disabled', async () => {
    await feed?.stop()
    const tokens = [
      ...stage.deployment.tokens,
      ...withUsdt()
        .tokens.slice(1)
        .map((token) => ({ ...token, enabled: false })),
    ]
    await startFeed({ ...stage.deployment, tokens })
    const inUsdt = await payInABlock(USDT)
    await inUsdt.isRecorded()
    const isOff = async () =>
      (await stage.sql`select from pairs where token = 'USDT' and not enabled`).length === 1
    await waitFor(isOff, { what: 'the pair to be switched off', timeoutMs: 60_000 })
    await feed?.stop()
    feed = null
  })

  long(
    'is taken over by another daemon if its own daemon is killed, and the Ponder of the killed daemon exits',
    async () => {
      const first = await startDaemon()
      await waitFor(() => first.isOwner(), {
        what: 'the first daemon to own the chain',
        timeoutMs: PONDER_TIMEOUT_MS,
      })
      await stage.level()
      const second = await startDaemon()
      const orphan = await ponderOf(first)
      await waitFor(() => second.wasRefused(), {
        what: 'the rejection of the second daemon',
        timeoutMs: PONDER_TIMEOUT_MS,
      })
      expect(pondersOf(second.process.pid ?? 0)).to.deep.equal([])

      first.process.kill('SIGKILL')
      const payment = await payInABlock()
      await waitFor(() => second.isOwner(), { what: 'the second daemon to take over', timeoutMs: 60_000 })
      await payment.isRecorded()
      await waitFor(() => !isAlive(orphan), {
        what: 'the exit of the killed daemon’s Ponder',
        timeoutMs: 60_000,
      })
    },
  )

  it('does not leave a Ponder behind if a daemon is killed while its Ponder starts', async () => {
    await feed?.stop()
    feed = null
    for (const daemon of daemons) daemon.kill('SIGKILL')
    const third = await startDaemon()
    const ponder = await ponderOf(third)
    third.process.kill('SIGKILL')
    await waitFor(() => !isAlive(ponder), { what: 'that Ponder to end', timeoutMs: 60_000 })
  })

  it('keeps the lock of a schema while a process uses it', async () => {
    await feed?.stop()
    feed = null
    const daemon = await startDaemon()
    await stage.level()
    const schema = await stage.schema()
    await waitFor(() => isReady(schema), { what: 'Ponder to be ready', timeoutMs: PONDER_TIMEOUT_MS })
    expect(await clearPonderLock(stage.sql, schema)).to.equal(false)
    const ponder = await ponderOf(daemon)
    daemon.process.kill('SIGKILL')
    process.kill(ponder, 'SIGKILL')
    await waitFor(() => clearPonderLock(stage.sql, schema), {
      what: 'the release of the lock',
      timeoutMs: 60_000,
    })
    const [meta] =
      await stage.sql`select value ->> 'is_locked' as locked from ${stage.sql(schema)}._ponder_meta`
    expect(meta).to.deep.equal({ locked: '0' })
  })

  /** Returns whether a Ponder has sessions in the schema, and the schema records that it is ready. */
  async function isReady(schema: string): Promise<boolean> {
    const [row] = await stage.sql<{ ready: boolean }[]>`
      select value ->> 'is_ready' = '1' and value ->> 'is_locked' = '1' and exists (
          select from pg_stat_activity where starts_with(application_name, ${`${schema}_`})) as ready
      from ${stage.sql(schema)}._ponder_meta`
    return row?.ready ?? false
  }

  async function startDaemon() {
    const child = fork(await compiled('test/support/ponder-daemon.ts'), {
      env: {
        PATH: process.env['PATH'],
        STAGE: JSON.stringify({
          ...{ databaseUrl: stage.daemonUrl, ponderDatabaseUrl: stage.ponderUrl },
          deployment: withUsdt(),
        }),
      },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    daemons.add(child)
    void once(child, 'exit').then(() => daemons.delete(child))
    const said = { owned: false, refused: false }
    child.on('message', ({ isOwner }: { isOwner: boolean }) => {
      said.owned = isOwner
      said.refused ||= !isOwner
    })
    return { process: child, isOwner: () => said.owned, wasRefused: () => said.refused }
  }
})

/** Waits until a daemon's Ponder runs, and returns its process id. */
function ponderOf(daemon: { readonly process: ChildProcess }): Promise<number> {
  return waitFor(() => pondersOf(daemon.process.pid ?? -1)[0], {
    what: 'the start of a Ponder',
    timeoutMs: PONDER_TIMEOUT_MS,
    intervalMs: 100,
  })
}

/** Lists the process ids of the Ponders that a process has started. */
function pondersOf(parent: number): readonly number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=', '-o', 'ppid=', '-o', 'args='], {
    encoding: 'utf8',
  }).split('\n')
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([, ppid, ...args]) => Number(ppid) === parent && args.some((part) => part.endsWith('bin/ponder.js')),
    )
    .map(([pid]) => Number(pid))
}
