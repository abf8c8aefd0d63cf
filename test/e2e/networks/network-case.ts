import type { NetworkFixture } from './network-fixture.ts'

/** A column of the table: a behaviour that every network must show. */
export type NetworkCase = {
  readonly name: string
  /** The behaviour as a sentence, which is the title of the test. */
  readonly claim: string
  /** Whether the case also runs in test environments, whose contracts are the same as in the live environment. */
  readonly isShort: boolean
  /** Whether the case needs the chain for itself, because it pauses block production or reorganizes the chain. */
  readonly isAlone?: boolean
  /** Whether the case takes too long for the sample. */
  readonly isSlow?: boolean
  /**
   * Runs the case, and throws if the network does not show the behaviour.
   *
   * @param others - settles when all other cases that run simultaneously have ended
   * @returns text for the cell instead of `ok`, if the network shows the behaviour in its own way
   */
  readonly run: (stage: NetworkFixture, others: Promise<unknown>) => Promise<string | undefined>
}
