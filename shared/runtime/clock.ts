/** Answers the present moment; passed in wherever time decides, so that tests can move it. */
export type Clock = () => Date

/** Answers the machine's time. */
export const systemClock: Clock = () => new Date()
