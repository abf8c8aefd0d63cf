type Options = {
  readonly name: string
  /** A query that a working database answers immediately. */
  readonly ask: () => PromiseLike<unknown>
  /**
   * Returns whether an error means that no response arrived. Any other error is a response: a rejected caller retries
   * on its own.
   */
  readonly isSilence: (error: unknown) => boolean
  readonly onSilent: () => unknown
  readonly everyMs: number
  /** Number of consecutive probes without a response that count as silence. */
  readonly looks: number
}

/**
 * Creates a monitor that probes repeatedly, one query at a time, and calls `onSilent` once after `looks` probes without
 * a response. It counts probes, not seconds, because a process that was suspended sent no probes during that time.
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
