import { expect } from 'chai'
import { createLoop, type Loop } from '../../../shared/runtime/poll-loop.ts'
import { recordingLog } from '../../support/recording-log.ts'

/** An interval longer than any test. */
const NEVER_MS = 3_600_000

describe('a loop', () => {
  let loop: Loop | undefined

  afterEach(() => loop?.stop())

  it('runs a turn immediately, and continues without a delay while there is more work', async () => {
    const turns = script(['more', 'more', 'idle'])
    loop = begin(turns.take, NEVER_MS)
    await turns.finished(3)
    expect(turns.count()).to.equal(3)
  })

  it('waits for its interval when idle, then runs the next turn', async () => {
    const turns = script(['idle', 'idle'])
    loop = begin(turns.take, 1)
    await turns.finished(2)
  })

  it('runs a turn immediately if it is woken during its delay', async () => {
    const turns = script(['idle', 'idle'])
    loop = begin(turns.take, NEVER_MS)
    await turns.finished(1)
    loop.wake()
    await turns.finished(2)
  })

  it('runs one more turn after any number of wakes during a turn, and never two turns concurrently', async () => {
    let running = 0
    let most = 0
    const turns = script(['idle', 'idle', 'idle'])
    const woken = async (): Promise<'more' | 'idle'> => {
      running += 1
      most = Math.max(most, running)
      await Promise.resolve()
      if (turns.count() === 0) for (let wakes = 0; wakes < 5; wakes += 1) loop?.wake()
      running -= 1
      return await turns.take()
    }
    loop = begin(woken, NEVER_MS)
    await turns.finished(2)
    await settle()
    expect(turns.count()).to.equal(2)
    expect(most).to.equal(1)
  })

  it('logs and counts a failed turn, and recovers', async () => {
    const { log, lines } = recordingLog()
    const turns = script([new Error('down'), 'idle'])
    loop = createLoop({ name: 'deliveries', intervalMs: 1, turn: turns.take, log })
    loop.start()
    await turns.finished(1)
    expect(loop.failures()).to.equal(1)
    await turns.finished(2)
    await settle()
    expect(loop.failures()).to.equal(0)
    expect(lines[0]).to.deep.include({
      level: 'error',
      msg: 'Loop iteration failed',
      loop: 'deliveries',
      failures: 1,
    })
  })

  it('ignores a wake during the delay after a failure', async () => {
    const turns = script([new Error('down'), 'idle'])
    loop = begin(turns.take, NEVER_MS)
    await turns.finished(1)
    await settle()
    loop.wake()
    await settle()
    expect(turns.count()).to.equal(1)
  })

  it('finishes the current turn when it is stopped, and starts no further turn', async () => {
    let finish: () => void = () => {}
    let isFinished = false
    loop = begin(async () => {
      await new Promise<void>((resolve) => {
        finish = resolve
      })
      isFinished = true
      return 'more'
    }, NEVER_MS)
    const stopped = loop.stop()
    finish()
    await stopped
    expect(isFinished).to.equal(true)
    await loop.stop()
  })

  it('can be stopped without a start', async () => {
    loop = createLoop({ name: 'x', intervalMs: 1, turn: async () => 'idle', log: recordingLog().log })
    await loop.stop()
  })
})

function begin(turn: () => Promise<'more' | 'idle'>, intervalMs: number): Loop {
  const loop = createLoop({ name: 'test', intervalMs, turn, log: recordingLog().log, maxBackoffMs: NEVER_MS })
  loop.start()
  return loop
}

/**
 * Creates turns with the given results or errors. `finished` resolves once this many turns have run. Mocha's timeout
 * limits the wait.
 */
function script(outcomes: readonly ('more' | 'idle' | Error)[]) {
  let count = 0
  const waiting = new Map<number, () => void>()
  return {
    count: () => count,
    take: async (): Promise<'more' | 'idle'> => {
      const outcome = outcomes[count] ?? 'idle'
      count += 1
      waiting.get(count)?.()
      if (outcome instanceof Error) throw outcome
      return outcome
    },
    finished: (turn: number): Promise<void> =>
      new Promise((resolve) => {
        if (count >= turn) resolve()
        else waiting.set(turn, resolve)
      }),
  }
}

/** Waits for five rounds of the event loop, so that pending tasks run. */
async function settle(): Promise<void> {
  for (let round = 0; round < 5; round += 1) await new Promise((resolve) => setImmediate(resolve))
}
