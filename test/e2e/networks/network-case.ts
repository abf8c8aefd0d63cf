import type { NetworkFixture } from './network-fixture.ts'

/** A behaviour that every network must show: a column of the table. */
export type NetworkCase = {
  readonly name: string
  /** Title of the test. */
  readonly claim: string
  /** Whether the case also runs on testnets, which have the same contracts as the live networks. */
  readonly isShort: boolean
  /** Whether the case needs the chain for itself, because it pauses block production or reorganizes the chain. */
  readonly isAlone?: boolean
  /** Whether the case takes too long for the sample. */
  readonly isSlow?: boolean
  /**
   * Runs the case, and throws if the network does not show the behaviour.
   *
   * @param others - settles when the cases that were started before this case have ended
   * @returns the reason, for the cell of the table, if the behaviour does not apply to the network
   */
  readonly run: (stage: NetworkFixture, others: Promise<unknown>) => Promise<string | undefined>
}
