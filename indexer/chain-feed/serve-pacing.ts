import { type EndRequest, type PacerOf, PRIORITIES, type Throttle } from '../../shared/chain/pacing/pacing.ts'
import { NodeBudgetError } from '../../shared/chain/pacing/throttle.ts'
import { type PacingMessage, type PacingReply, parsePacingMessage } from '../transport/pacing-messages.ts'

type Channel = {
  readonly pacerOf: PacerOf
  /** Sends a reply; does nothing once the process has exited. */
  readonly reply: (reply: PacingReply) => void
}

/** Maximum wait that the process may request, longer than any wait of Ponder's transport. */
const MAX_WAIT_MS = 60_000

/** Lets a Ponder process use the daemon's pacers, by messages between the two processes. */
export function servePacing({ pacerOf, reply }: Channel) {
  const sent = new Map<number, EndRequest>()
  let waiting = 0
  let hasExited = false

  return {
    /** Handles a message if it is about pacing. Returns whether it is. */
    receive: (value: unknown): boolean => {
      const message = parsePacingMessage(value)
      if (message !== null) void handle(message)
      return message !== null
    },
    /** Returns whether a request of the process waits for a pacer. */
    isWaiting: () => waiting > 0,
    /** Ends all requests in flight. Call it when the process has exited. */
    close: () => {
      hasExited = true
      for (const end of sent.values()) end(null)
      sent.clear()
    },
  }

  async function handle(message: PacingMessage): Promise<void> {
    if (message.pacing === 'acquire') await acquire(message)
    else if (message.pacing === 'delay')
      reply({ paced: message.id, refused: null, delayMs: await pacerOf(message.url).getDelayMs() })
    else {
      sent.get(message.id)?.(checkThrottle(message.throttle))
      sent.delete(message.id)
    }
  }

  async function acquire({ id, url, ...need }: PacingMessage & { pacing: 'acquire' }): Promise<void> {
    const priority = PRIORITIES.find((known) => known === need.priority) ?? 'background'
    const maxWaitMs = Number.isFinite(need.maxWaitMs) ? Math.min(need.maxWaitMs, MAX_WAIT_MS) : MAX_WAIT_MS
    waiting += 1
    try {
      const end = await pacerOf(url).acquire({ priority, maxWaitMs })
      if (hasExited) return end(null)
      sent.set(id, end)
      reply({ paced: id, refused: null, delayMs: 0 })
    } catch (error) {
      const refused = error instanceof NodeBudgetError ? error.reason : 'the daemon has failed'
      reply({ paced: id, refused, delayMs: 0 })
    } finally {
      waiting -= 1
    }
  }
}

/** Validates the message, because the Ponder process runs a large third-party library and is not trusted. */
function checkThrottle(throttle: Throttle | null): Throttle | null {
  if (throttle === null) return null
  const { retryAfterMs } = Object(throttle) as Partial<Throttle>
  return { retryAfterMs: Number.isFinite(retryAfterMs) ? (retryAfterMs ?? null) : null }
}
