type Options = {
  readonly name: string
  /** Sends a query to which a working database responds immediately. */
  readonly ask: () => PromiseLike<unknown>
  /**
   * Returns whether an error means that no response arrived. Any other error counts as a response, because a rejected
   * caller retries on its own.
   */
  readonly isSilence: (error: unknown) => boolean
  readonly onSilent: () => unknown
  readonly everyMs: number
  /** Maximum consecutive ticks, `everyMs` apart, without a response. */
  readonly looks: number
}

/**
 * Creates a monitor that sends a query at each tick, unless the previous query is pending, and calls `onSilent` once
 * when `looks` ticks have passed without a response. It counts ticks, not seconds, because a suspended process sends no
 * queries.
 */
export function createLivenessMonitor({ name, ask, isSilence, onSilent, everyMs, looks }: Options) {
  let timer: NodeJS.Timeout | null = null
  let isProbing = false
  let unanswered = 0

  return { name, start: () => (timer ??= setInterval(probe, everyMs)), stop }

  function probe(): void {
    unanswered += 1
    if (unanswered > looks) {
      stop()
      onSilent()
    } else if (!isProbing) {
      void question()
    }
  }

  async function question(): Promise<void> {
    isProbing = true
    try {
      await ask()
      unanswered = 0
    } catch (error) {
      if (!isSilence(error)) unanswered = 0
    } finally {
      isProbing = false
    }
  }

  function stop(): void {
    if (timer !== null) clearInterval(timer)
    timer = null
  }
}
