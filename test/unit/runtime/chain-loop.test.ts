import { expect } from 'chai'
import { createChainLoop } from '../../../shared/runtime/chain-loop.ts'
import { createLoop, type Loop } from '../../../shared/runtime/poll-loop.ts'
import { recordingLog } from '../../support/recording-log.ts'

const { log } = recordingLog()

/** An interval longer than any test. */
const NEVER_MS = 3_600_000

type Pace = { readonly intervalMs: number; readonly asleepMs?: number }

describe('a loop of a network', () => {
  const started: Loop[] = []
  let isAsleep: boolean
  let wake: () => void

  beforeEach(() => {
    isAsleep = true
    wake = () => undefined
  })

  afterEach(() => Promise.all(started.splice(0).map((loop) => loop.stop())))

  const sleep = {
    isAsleep: () => isAsleep,
    onWake: (listener: () => void) => {
      wake = listener
    },
  }

  function begin(pace: Pace, outcome: 'idle' | 'later' = 'idle') {
    const turns = countTurns(outcome)
    const loop = createChainLoop(
      { chainId: 8453, sleep },
      { name: 'payouts', ...pace, log, turn: turns.take },
    )
    started.push(loop)
    loop.start()
    return turns
  }

  /** Waits until another loop, with an interval of 1 ms, has begun five turns. */
  async function forSomeTurns(): Promise<void> {
    const turns = countTurns('idle')
    const clock = createLoop({ name: 'clock', intervalMs: 1, log, turn: turns.take })
    started.push(clock)
    clock.start()
    await turns.reached(5)
  }

  it('polls at its interval while the network is awake', async () => {
    isAsleep = false
    await begin({ intervalMs: 1, asleepMs: NEVER_MS }).reached(3)
  })

  it('rests while the network sleeps', async () => {
    const turns = begin({ intervalMs: 1 })
    await forSomeTurns()
    expect(turns.count()).to.equal(1)
  })

  it('takes a turn as soon as the network must wake, then polls at its interval', async () => {
    const turns = begin({ intervalMs: 1, asleepMs: NEVER_MS })
    await turns.reached(1)
    await forSomeTurns() // Now the loop rests.
    isAsleep = false
    wake()
    await turns.reached(3)
  })

  it('takes turns at its longer interval while the network sleeps', async () => {
    await begin({ intervalMs: 0, asleepMs: 1 }).reached(3)
  })

  it('continues unfinished work at its interval although the network sleeps', async () => {
    await begin({ intervalMs: 1, asleepMs: NEVER_MS }, 'later').reached(3)
  })

  it('never polls more often while the network sleeps', async () => {
    const turns = begin({ intervalMs: NEVER_MS, asleepMs: 1 })
    await forSomeTurns()
    expect(turns.count()).to.equal(1)
  })
})

/** Counts turns. `reached` resolves once this many turns have begun. Mocha's timeout limits the wait. */
function countTurns(outcome: 'idle' | 'later') {
  let count = 0
  const waiting = new Map<number, () => void>()
  return {
    count: () => count,
    take: async () => {
      count += 1
      waiting.get(count)?.()
      return outcome
    },
    reached: (number: number) =>
      new Promise<void>((resolve) => (count >= number ? resolve() : waiting.set(number, resolve))),
  }
}
