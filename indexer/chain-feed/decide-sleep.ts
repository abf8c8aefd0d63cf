/** The facts that decide whether a network sleeps. */
export type SleepFacts = {
  readonly isAsleep: boolean
  readonly isWakeRequested: boolean
  /** Whether something must be watched now; see `hasWatchedWork`. */
  readonly hasWork: boolean
  /** Whether a charge was created or received money within the time after which a network sleeps. */
  readonly isRecentlyActive: boolean
  /** Seconds since something had to be watched, by the database's clock. */
  readonly idleSeconds: number
  /** Whether the feed has applied the blocks that the generation after the sleep would not read. */
  readonly isFeedLevel: boolean
  /** Whether the network's contracts were read and its pairs were published. */
  readonly isPublished: boolean
}

/**
 * Decides whether a network falls asleep or wakes. Pure.
 *
 * A network wakes on request or if something must be watched. It falls asleep only after `sleepAfterSeconds` without
 * anything to watch; 0 means that networks never sleep.
 */
export function decideSleep(facts: SleepFacts, sleepAfterSeconds: number): 'sleep' | 'wake' | 'keep' {
  if (facts.isAsleep)
    return facts.isWakeRequested || facts.hasWork || sleepAfterSeconds === 0 ? 'wake' : 'keep'
  const mustWatch = facts.hasWork || facts.isRecentlyActive || facts.idleSeconds < sleepAfterSeconds
  const isReady = facts.isFeedLevel && facts.isPublished
  return sleepAfterSeconds === 0 || mustWatch || !isReady ? 'keep' : 'sleep'
}
