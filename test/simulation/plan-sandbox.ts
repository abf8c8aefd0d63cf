import type { SandboxEvent } from '../../shared/domain/sandbox-trigger.ts'
import type { Random } from '../support/seeded-random.ts'

/** A charge of the test environment on a testnet that is not watched, and the events that its merchant triggers. */
export type PlannedSandboxCharge = {
  readonly atMs: number
  readonly expiresInMs: number
  readonly triggers: readonly { readonly afterMs: number; readonly event: SandboxEvent }[]
}

/** Time within which the sandbox charges are created, while their merchant reads the pages of the list. */
const BURST_MS = 3_000
const EVENTS = [
  ...(['charge.confirmed', 'charge.partially_paid', 'charge.overpaid'] as const),
  ...(['charge.expired', 'charge.settled'] as const),
]

/** Draws no charges for three of five histories. */
export function drawSandbox(random: Random, troubledMs: number): readonly PlannedSandboxCharge[] {
  const count = random.pick([0, 0, 0, 3, 5])
  const startMs = 1_000 + random.integer(troubledMs - 10_000)
  return Array.from({ length: count }, () => ({
    ...{ atMs: startMs + random.integer(BURST_MS), expiresInMs: 5_000 + random.integer(60_000) },
    triggers: Array.from({ length: random.pick([0, 0, 1, 2]) }, () => ({
      ...{ afterMs: 500 + random.integer(10_000), event: random.pick(EVENTS) },
    })),
  }))
}
