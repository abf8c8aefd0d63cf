/** Returns the current time. Code that depends on time takes it as a parameter, so that tests can control it. */
export type Clock = () => Date

/** Returns the system time. */
export const systemClock: Clock = () => new Date()
