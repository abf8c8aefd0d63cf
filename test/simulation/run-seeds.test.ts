import type { ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect } from 'chai'
import { runSeeds } from './run-seeds.ts'

/** Maximum number of steps, too few for any history to finish. */
const STEPS = 200

describe('seeds that run in separate processes', function () {
  this.timeout(600_000)

  it('continue after the process of a seed was killed, and report that seed as failed', async () => {
    const workers: ChildProcess[] = []
    const note = (made: unknown) => void workers.push((made as { process: ChildProcess }).process)
    subscribe('child_process', note)
    const ends = new Map<number, string | null>()
    await runSeeds({
      ...{ seeds: [1, 2, 3], workers: 1, order: { maxSteps: STEPS } },
      onOutcome: ({ seed, failure }) => {
        ends.set(seed, failure)
        // The process receives the next seed before it is killed, and, being stopped, cannot finish that seed.
        if (seed === 1) {
          workers.at(-1)?.kill('SIGSTOP')
          setImmediate(() => workers.at(-1)?.kill('SIGKILL'))
        }
        return Promise.resolve('more')
      },
    })
    unsubscribe('child_process', note)
    const cutShort = `the history did not come to rest in ${STEPS} steps`
    expect([...ends]).to.deep.equal([
      [1, cutShort],
      [2, 'the simulator ended with SIGKILL'],
      [3, cutShort],
    ])
    expect(workers.length).to.equal(2)
  })
})
