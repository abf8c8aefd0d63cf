import type { Address } from './address.ts'
import type { Pair } from './networks.ts'

/** Events that the sandbox can trigger for a charge of the test environment (decisions 6.10). */
export const SANDBOX_EVENTS = [
  'charge.confirmed',
  'charge.partially_paid',
  'charge.overpaid',
  'charge.expired',
  'charge.underpaid',
  'charge.settled',
  'charge.settlement_failed',
] as const

/** Refund events that the sandbox can trigger. The refund worker processes them. */
export const SANDBOX_REFUND_EVENTS = ['charge.refund_claimed', 'charge.refunded'] as const

export type SandboxRefundEvent = (typeof SANDBOX_REFUND_EVENTS)[number]

/** All events that a merchant can trigger in the sandbox. */
export const SANDBOX_TRIGGERS = [...SANDBOX_EVENTS, ...SANDBOX_REFUND_EVENTS] as const

export type SandboxEvent = (typeof SANDBOX_EVENTS)[number]

/** The events that simulate a payment. */
export const SANDBOX_PAYMENTS: readonly SandboxEvent[] = [
  'charge.confirmed',
  'charge.partially_paid',
  'charge.overpaid',
]

/** The API's request that the daemon trigger an event. */
export type SandboxTrigger = {
  readonly event: SandboxEvent
  /**
   * Amount of the simulated transfer, in 10^-18 dollars; `null` for the default amount, which causes the event, and for
   * events that no payment causes.
   */
  readonly amountAtto: string | null
  /** The pair of the simulated payment, one of the charge's accepted pairs. */
  readonly pair: Pair
  /** The payer. `null` means the releaser for an escrow charge, and no particular payer for any other charge. */
  readonly from: Address | null
}
