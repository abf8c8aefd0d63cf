import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'chai'
import { compiled } from '../../devnet/compiled.ts'
import { isAlive } from '../../devnet/is-alive.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { createDatabaseLink, type DatabaseLink } from '../../support/database-link.ts'
import { createPonderFixture, PONDER_TIMEOUT_MS } from '../../support/ponder-fixture.ts'
import { listPonders } from '../../support/ponder-processes.ts'
import { createTronFeedFixture, type TwoOwnersFixture } from '../../support/tron-feed-fixture.ts'

/** Maximum time that a silent owner keeps a chain. */
const TAKEN_OVER_WITHIN_MS = 30_000

const isLong = process.env['TEST_LONG'] === '1'

/**
 * Runs only with TEST_LONG, because it suspends an owner for half a minute. The other test covers the loss of the same
 * lock.
 */
const long = isLong ? it : () => undefined

const STAGES: Readonly<Record<string, () => Promise<TwoOwnersFixture>>> = {
  'a chain': createPonderFixture,
  ...(isLong && { 'a TRON chain': createTronFeedFixture }),
}

for (const [title, setStage] of Object.entries(STAGES))
  describe(`${title} with a silent owner`, function () {
    this.timeout(4 * PONDER_TIMEOUT_MS)
    let stage: TwoOwnersFixture
    let link: DatabaseLink
    const daemons = new Set<ChildProcess>()

    beforeEach(async () => {
      stage = await setStage()
      link = await createDatabaseLink()
    })

    afterEach(async () => {
      for (const daemon of daemons) {
        for (const pid of [...listPonders(daemon.pid ?? null), daemon.pid ?? 0]) process.kill(pid, 'SIGCONT')
        const gone = once(daemon, 'exit')
        daemon.kill('SIGKILL')
        await gone
      }
      await stage.close()
      await link.cut()
    })

    it('is taken over within 30 s by another daemon, whose Ponder starts once the silent owner’s Ponder has exited', async () => {
      const first = await startDaemon(link.through)
      const ponder = await ponderOf(first)
      await recordedBy(first)
      const second = await startDaemon()
      await waitFor(() => second.wasRefused(), {
        what: 'the rejection of the second daemon',
        timeoutMs: PONDER_TIMEOUT_MS,
      })

      link.silence()
      const charge = await pay()
      await waitFor(() => second.isOwner(), { what: 'the take-over', timeoutMs: TAKEN_OVER_WITHIN_MS })
      expect(isAlive(ponder), 'the silent owner’s Ponder is running').to.equal(false)
      await isRecorded(charge)
    })

    long(
      'is taken over by another daemon if the owner’s machine is suspended, and stays with that daemon afterwards',
      async () => {
        const first = await startDaemon()
        const ponder = await ponderOf(first)
        await recordedBy(first)
        const second = await startDaemon()
        await waitFor(() => second.wasRefused(), {
          what: 'the rejection of the second daemon',
          timeoutMs: PONDER_TIMEOUT_MS,
        })

        for (const pid of [ponder, first.process.pid ?? 0]) process.kill(pid, 'SIGSTOP')
        const whileStill = await pay()
        await waitFor(() => second.isOwner(), { what: 'the take-over', timeoutMs: TAKEN_OVER_WITHIN_MS })
        await isRecorded(whileStill)

        for (const pid of [ponder, first.process.pid ?? 0]) process.kill(pid, 'SIGCONT')
        const afterwards = await pay()
        await isRecorded(afterwards)
        await waitFor(() => !first.isOwner() && !isAlive(ponder), {
          what: 'the first daemon to give up the chain',
          timeoutMs: PONDER_TIMEOUT_MS,
        })
        for (const charge of [whileStill, afterwards]) {
          expect((await stage.transfersTo(charge.address)).map(({ inclusion }) => inclusion)).to.deep.equal([
            'included',
          ])
        }
      },
    )

    /** Starts a daemon. `through` maps the database URLs of the daemon and of its Ponder. */
    async function startDaemon(through = (url: string) => url) {
      const child = fork(await compiled('test/support/ponder-daemon.ts'), {
        env: {
          PATH: process.env['PATH'],
          STAGE: JSON.stringify({
            databaseUrl: through(stage.daemonUrl),
            ponderDatabaseUrl: through(stage.ponderUrl),
            deployment: stage.deployment,
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

    /** Waits until the daemon owns the chain and its Ponder has recorded a payment. */
    async function recordedBy(daemon: Awaited<ReturnType<typeof startDaemon>>): Promise<void> {
      await waitFor(() => daemon.isOwner(), {
        what: 'the first daemon to own the chain',
        timeoutMs: PONDER_TIMEOUT_MS,
      })
      await isRecorded(await pay())
    }

    async function pay() {
      const charge = await stage.addCharge()
      await stage.pay(charge.address, 5n)
      await stage.chain.mine()
      return charge
    }

    async function isRecorded({ address }: Awaited<ReturnType<typeof pay>>): Promise<void> {
      await waitFor(async () => (await stage.transfersTo(address)).length === 1, {
        what: 'the payment to be recorded',
        timeoutMs: PONDER_TIMEOUT_MS,
      })
    }
  })

/** Waits until a daemon's Ponder runs, and returns its process id. */
function ponderOf(daemon: { readonly process: ChildProcess }): Promise<number> {
  return waitFor(() => listPonders(daemon.process.pid ?? null)[0], {
    what: 'the start of a Ponder',
    timeoutMs: PONDER_TIMEOUT_MS,
    intervalMs: 100,
  })
}
