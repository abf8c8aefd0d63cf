import type { Priority, Throttle } from '../../shared/chain/pacing/pacing.ts'

/**
 * Messages from Ponder's process, or from a thread of the daemon, to the daemon about requests to nodes with a limit.
 */
export type PacingMessage =
  | {
      readonly pacing: 'acquire'
      readonly id: number
      readonly url: string
      readonly priority: Priority
      readonly maxWaitMs: number
    }
  | { readonly pacing: 'end'; readonly id: number; readonly throttle: Throttle | null }
  | { readonly pacing: 'delay'; readonly id: number; readonly url: string }

/** The daemon's reply to `acquire` and `delay`. */
export type PacingReply = {
  readonly paced: number
  /** Reason of a refusal; `null` if the request may be sent. */
  readonly refused: string | null
  readonly delayMs: number
}

/** Returns `null` if the message is not about pacing, such as Ponder's own messages. */
export function parsePacingMessage(value: unknown): PacingMessage | null {
  const { pacing, id } = Object(value) as { readonly pacing?: unknown; readonly id?: unknown }
  const isKnown = pacing === 'acquire' || pacing === 'end' || pacing === 'delay'
  return isKnown && Number.isSafeInteger(id) ? (value as PacingMessage) : null
}

export function parsePacingReply(value: unknown): PacingReply | null {
  const { paced } = Object(value) as { readonly paced?: unknown }
  return Number.isSafeInteger(paced) ? (value as PacingReply) : null
}
