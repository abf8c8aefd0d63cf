import { createNodePacer } from '../../shared/chain/pacing/node-pacer.ts'
import type { NodePacer, PacerOf } from '../../shared/chain/pacing/pacing.ts'
import { NodeBudgetError } from '../../shared/chain/pacing/throttle.ts'
import { type PacingMessage, type PacingReply, parsePacingReply } from './pacing-messages.ts'

type Self = Pick<NodeJS.Process, 'on' | 'send'>

/**
 * Creates the pacers of the Ponder process, or of a thread of the daemon. For nodes with a request limit, the daemon
 * decides when a request may be sent, because its own requests use the same budget. For other nodes, this process only
 * tracks the pauses that the nodes demand.
 */
export function createDaemonPacers(self: Self, limitedUrls: readonly string[] | 'all' = []): PacerOf {
  const ask = createQuestions(self)
  const pacers = new Map<string, NodePacer>()
  return (url) => {
    const pacer =
      pacers.get(url) ??
      (limitedUrls === 'all' || limitedUrls.includes(url)
        ? createDaemonPacer(ask, url)
        : createNodePacer(UNLIMITED))
    pacers.set(url, pacer)
    return pacer
  }
}

const UNLIMITED = { perSecond: null, perDay: null }

type Questions = ReturnType<typeof createQuestions>

function createDaemonPacer({ ask, tell }: Questions, url: string): NodePacer {
  return {
    acquire: async ({ priority, maxWaitMs }) => {
      const { paced: id, refused } = await ask((next) => ({
        ...{ pacing: 'acquire', id: next, url, priority, maxWaitMs },
      }))
      if (refused !== null) throw new NodeBudgetError(refused)
      return (throttle) => tell({ pacing: 'end', id, throttle })
    },
    getDelayMs: async () => (await ask((id) => ({ pacing: 'delay', id, url }))).delayMs,
  }
}

/**
 * Sends messages to the daemon and matches its replies by id. Needs no timeout, because this process ends if the daemon
 * does.
 */
function createQuestions(self: Self) {
  const open = new Map<number, (reply: PacingReply) => void>()
  let last = 0
  self.on('message', (value: unknown) => {
    const reply = parsePacingReply(value)
    if (reply === null) return
    open.get(reply.paced)?.(reply)
    open.delete(reply.paced)
  })

  const tell = (message: PacingMessage) => {
    self.send?.(message)
  }
  return {
    tell,
    ask: (question: (id: number) => PacingMessage) =>
      new Promise<PacingReply>((resolve) => {
        last += 1
        open.set(last, resolve)
        tell(question(last))
      }),
  }
}
