import type { NetworkFixture } from './network-fixture.ts'

/** A column of the table: one thing that must be so on every network. */
export type NetworkCase = {
  readonly name: string
  /** A sentence of what is so. */
  readonly claim: string
  /** Whether it is run in test environments as well, whose contracts are the live ones'. */
  readonly isShort: boolean
  /** Whether it takes the chain for itself: it stops the blocks, which go on after it, or takes them back. */
  readonly isAlone?: boolean
  /** Whether it takes longer than the sample may. */
  readonly isSlow?: boolean
  /**
   * @param others - ends when all others that run beside it have
   * @returns what stands in the cell instead of `ok` where a network has it in a way of its own
   */
  readonly run: (stage: NetworkFixture, others: Promise<unknown>) => Promise<string | undefined>
}
