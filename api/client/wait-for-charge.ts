import type { ApiClient } from './client.ts'
import { type ChargeUpdate, followCharge } from './follow-charge.ts'
import type { Schema } from './schema.ts'

type Charge = Schema<'Charge'>

type Condition = {
  /** Completes the sentence "timed out after … ms waiting for charge … to be …". */
  readonly what: string
  readonly holds: (charge: Charge) => boolean
  readonly timeoutMs: number
  /** Called for every update. */
  readonly onNews?: (news: ChargeUpdate) => void
}

/** Condition: the charge is paid in full, with the required confirmations. */
export const CONFIRMED = { what: 'confirmed', holds: ({ status }: Charge) => status === 'confirmed' } as const

/** Condition: the payout to the merchant has completed. */
export const SETTLED = {
  what: 'settled',
  holds: ({ settlementStatus }: Charge) => settlementStatus === 'completed',
} as const

/**
 * Waits until a charge meets `condition` and returns the charge.
 *
 * @throws {Error} naming the condition and the charge's state, after `timeoutMs`, or once the charge is final without
 * meeting the condition
 * @throws {ApiError} as in `followCharge`
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
  const state = last === null ? 'unknown' : `${last.status}, settlement ${last.settlementStatus ?? 'none'}`
  const reason = timeout.aborted ? `timed out after ${timeoutMs} ms waiting for` : 'stopped waiting for'
  throw new Error(`${reason} charge ${id} to be ${what}: its state is ${state}`)
}
