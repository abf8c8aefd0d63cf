import type { Address } from './address.ts'
import type { Pair } from './networks.ts'

/** What the sandbox can make happen to a charge of the test environment (decisions 6.10). */
export const SANDBOX_EVENTS = [
  'charge.confirmed',
  'charge.partially_paid',
  'charge.overpaid',
  'charge.expired',
  'charge.underpaid',
  'charge.settled',
  'charge.settlement_failed',
] as const

export type SandboxEvent = (typeof SANDBOX_EVENTS)[number]

/** Those that a payment brings about. */
export const SANDBOX_PAYMENTS: readonly SandboxEvent[] = [
  'charge.confirmed',
  'charge.partially_paid',
  'charge.overpaid',
]

/** What the API asks of the daemon. */
export type SandboxTrigger = {
  readonly event: SandboxEvent
  /** Of the simulated transfer, in 10^-18 dollars; `null` for what brings the event about. */
  readonly amountAtto: string | null
  /** What it is paid with, one of the charge's own. */
  readonly pair: Pair
  /** Who pays; `null` for the releaser of an escrow, and for nobody in particular without one. */
  readonly from: Address | null
}
