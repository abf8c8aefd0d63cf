/** A time limit that ends only when a test ends it, so that no pause of a busy machine can end it earlier. */
export type HeldTimeLimit = {
  /** Ends the first limit that is still running. */
  readonly end: () => void
  readonly release: () => void
}

/** Holds every timer and every `AbortSignal.timeout` of exactly this duration, until `release`. */
export function holdTimeLimit(ms: number): HeldTimeLimit {
  const { setTimeout: start, clearTimeout: clear } = globalThis
  const timeout = AbortSignal.timeout.bind(AbortSignal)
  const running = new Map<unknown, () => void>()
  const hold = <Key>(key: Key, end: () => void): Key => {
    running.set(key, end)
    return key
  }
  const startOrHold = (run: () => void, afterMs?: number, ...rest: []) =>
    afterMs === ms
      ? hold(
          start(() => undefined),
          run,
        )
      : start(run, afterMs, ...rest)
  const endTimer = (timer: NodeJS.Timeout | undefined) => {
    running.delete(timer)
    clear(timer)
  }
  Object.assign(globalThis, { setTimeout: startOrHold, clearTimeout: endTimer })
  AbortSignal.timeout = (afterMs) => {
    if (afterMs !== ms) return timeout(afterMs)
    const over = new AbortController()
    hold(over, () => over.abort(new DOMException('timed out', 'TimeoutError')))
    return over.signal
  }
  return {
    end: () => {
      const [first] = running
      if (first === undefined) return
      running.delete(first[0])
      first[1]()
    },
    release: () => {
      Object.assign(globalThis, { setTimeout: start, clearTimeout: clear })
      AbortSignal.timeout = timeout
    },
  }
}
