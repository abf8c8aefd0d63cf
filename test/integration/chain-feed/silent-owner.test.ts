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

/** A silent owner keeps a chain for no longer. */
const TAKEN_OVER_WITHIN_MS = 30_000

const isLong = process.env['TEST_LONG'] === '1'

/** It stops a whole machine for half a minute; the lock that the first of them loses is the one that this one has lost. */
const long = isLong ? it : () => undefined

const STAGES: Readonly<Record<string, () => Promise<TwoOwnersFixture>>> = {
  'a chain': createPonderFixture,
  ...(isLong && { 'a TRON': createTronFeedFixture }),
}

for (const [what, setStage] of Object.entries(STAGES))
  describe(`${what} whose owner falls silent`, function () {
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

    it('is another’s within 30 s, whose Ponder starts when the silent one’s is dead', async () => {
      const first = await startDaemon(link.through)
      const ponder = await ponderOf(first)
      await recordedBy(first)
      const second = await startDaemon()
      await waitFor(() => second.wasRefused(), {
        what: 'the second to be refused',
        timeoutMs: PONDER_TIMEOUT_MS,
      })

      link.silence()
      const charge = await pay()
      await waitFor(() => second.isOwner(), { what: 'the take-over', timeoutMs: TAKEN_OVER_WITHIN_MS })
      expect(isAlive(ponder), 'the silent owner’s Ponder lives').to.equal(false)
      await isRecorded(charge)
    })

    long('is another’s when the owner’s machine stood still, and stays so when that goes on', async () => {
      const first = await startDaemon()
      const ponder = await ponderOf(first)
      await recordedBy(first)
      const second = await startDaemon()
      await waitFor(() => second.wasRefused(), {
        what: 'the second to be refused',
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
        what: 'the first to give up',
        timeoutMs: PONDER_TIMEOUT_MS,
      })
      for (const charge of [whileStill, afterwards]) {
        expect((await stage.transfersTo(charge.address)).map(({ presence }) => presence)).to.deep.equal([
          'present',
        ])
      }
    })

    /** Both its sessions and its Ponder's go the same way. */
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

    /** The daemon's Ponder watches: a payment is recorded. */
    async function recordedBy(daemon: Awaited<ReturnType<typeof startDaemon>>): Promise<void> {
      await waitFor(() => daemon.isOwner(), { what: 'the first to own', timeoutMs: PONDER_TIMEOUT_MS })
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

/** Waits for the Ponder of a daemon to be started, and answers its process. */
function ponderOf(daemon: { readonly process: ChildProcess }): Promise<number> {
  return waitFor(() => listPonders(daemon.process.pid ?? null)[0], {
    what: 'a Ponder to be started',
    timeoutMs: PONDER_TIMEOUT_MS,
    intervalMs: 100,
  })
}
