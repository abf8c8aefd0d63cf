import { createLoop, type Loop, type LoopOptions } from './poll-loop.ts'

/** Whether a network sleeps, as this process last read it. */
export type NetworkSleep = {
  readonly isAsleep: () => boolean
  /** Calls `wake` whenever the network no longer sleeps or must wake. */
  readonly onWake: (wake: () => void) => void
}

type LoopedChain = {
  readonly chainId: number
  /** Without it, the loop never rests. */
  readonly sleep?: NetworkSleep | undefined
}

type Options = Omit<LoopOptions, 'restMs'> & {
  /** Delay after a turn without further work while the network sleeps; a minute by default. */
  readonly asleepMs?: number
}

/** Delay while a network sleeps. Such a network has nothing to watch, so a turn normally finds no work. */
const ASLEEP_MS = 60_000

/**
 * Creates a loop of one network. While the network sleeps, the loop runs once a minute, and immediately when the
 * network must wake. The chain id is appended to the loop's name.
 */
export function createChainLoop({ chainId, sleep }: LoopedChain, options: Options): Loop {
  const { asleepMs = ASLEEP_MS, name, intervalMs } = options
  const restMs = () => (sleep?.isAsleep() ? Math.max(intervalMs, asleepMs) : intervalMs)
  const loop = createLoop({ ...options, name: `${name} ${chainId}`, restMs })
  sleep?.onWake(loop.wake)
  return loop
}
