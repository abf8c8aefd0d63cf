import type { ApiClient } from './client.ts'
import { type ChargeNews, followCharge } from './follow-charge.ts'
import type { Schema } from './schema.ts'

type Charge = Schema<'Charge'>

type Condition = {
  /** Completes "waited in vain for the charge to be …". */
  readonly what: string
  readonly holds: (charge: Charge) => boolean
  readonly timeoutMs: number
  /** Told of everything on the way. */
  readonly onNews?: (news: ChargeNews) => void
}

/** Paid in full, at the depth its network needs. */
export const CONFIRMED = { what: 'confirmed', holds: ({ status }: Charge) => status === 'confirmed' } as const

/** Paid out to the merchant. */
export const SETTLED = {
  what: 'settled',
  holds: ({ settlementStatus }: Charge) => settlementStatus === 'completed',
} as const

/**
 * Waits until a charge is as `condition` says, and answers it.
 *
 * @throws {Error} naming what was waited for, and how the charge is, when the time is over, or as soon as it has
 *   ended otherwise; {ApiError} for a refusal that does not pass
 */
export async function waitForCharge(api: ApiClient, id: string, condition: Condition): Promise<Charge> {
  const { what, holds, timeoutMs, onNews } = condition
  const timeout = AbortSignal.timeout(timeoutMs)
  let last: Charge | null = null
  for await (const news of followCharge(api, id, { signal: timeout })) {
    onNews?.(news)
    if (news.kind === 'progress') continue
    last = news.charge
    if (holds(last)) return last
  }
  const state = last === null ? 'never read' : `${last.status}, settlement ${last.settlementStatus ?? 'none'}`
  const reason = timeout.aborted ? `waited ${timeoutMs} ms in vain for` : 'there is no more waiting for'
  throw new Error(`${reason} charge ${id} to be ${what}: it is ${state}`)
}
