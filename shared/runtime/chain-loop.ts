import { createLoop, type Loop, type LoopOptions } from './poll-loop.ts'

/** Whether a network sleeps, according to the last read of this process. */
export type NetworkSleep = {
  readonly isAsleep: () => boolean
  /** Registers a function to call when the network has woken or must wake. */
  readonly onWake: (wake: () => void) => void
}

type LoopedChain = {
  readonly chainId: number
  /** Without it, the network never sleeps. */
  readonly sleep?: NetworkSleep | undefined
}

type Options = Omit<LoopOptions, 'restMs'> & {
  /** Delay after an idle turn while the network sleeps; a minute by default, and at least `intervalMs`. */
  readonly asleepMs?: number
}

/** Default of `asleepMs`. A sleeping network has nothing to watch, so a turn normally finds no work. */
const ASLEEP_MS = 60_000

/**
 * Creates a loop of one network. While the network sleeps, idle turns are `asleepMs` apart, and the loop runs
 * immediately when the network must wake. The chain id is appended to the loop's name.
 */
export function createChainLoop({ chainId, sleep }: LoopedChain, options: Options): Loop {
  const { asleepMs = ASLEEP_MS, name, intervalMs } = options
  const restMs = () => (sleep?.isAsleep() ? Math.max(intervalMs, asleepMs) : intervalMs)
  const loop = createLoop({ ...options, name: `${name} ${chainId}`, restMs })
  sleep?.onWake(loop.wake)
  return loop
}
