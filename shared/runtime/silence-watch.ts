import type { Part } from './lifecycle.ts'

type Options = {
  readonly name: string
  /** A question that whoever is there answers at once. */
  readonly ask: () => PromiseLike<unknown>
  /** Whether an error says that nobody answered. Any other is an answer: who is refused will try again by himself. */
  readonly isSilence: (error: unknown) => boolean
  readonly onSilent: () => unknown
  readonly everyMs: number
  /** So many looks in a row without an answer are silence. */
  readonly looks: number
}

/**
 * Makes what asks again and again, one question at a time, and calls `onSilent` once when nothing has answered for so
 * many looks. Looks and not a clock, because a process that was itself stopped for long has asked nothing meanwhile.
 */
export function createSilenceWatch({ name, ask, isSilence, onSilent, everyMs, looks }: Options): Part {
  let timer: NodeJS.Timeout | null = null
  let isAsking = false
  let unanswered = 0

  return { name, start: () => (timer ??= setInterval(look, everyMs)), stop }

  function look(): void {
    unanswered += 1
    if (unanswered > looks) {
      stop()
      onSilent()
    } else if (!isAsking) {
      void question()
    }
  }

  async function question(): Promise<void> {
    isAsking = true
    try {
      await ask()
      unanswered = 0
    } catch (error) {
      if (!isSilence(error)) unanswered = 0
    } finally {
      isAsking = false
    }
  }

  function stop(): void {
    if (timer !== null) clearInterval(timer)
    timer = null
  }
}
