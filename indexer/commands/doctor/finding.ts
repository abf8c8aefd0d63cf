/** What was looked at, what was found, and what to do about it; `null` if that is as it should be. */
export type Finding = {
  readonly subject: string
  readonly found: string
  readonly mend: string | null
  /** A risk, while the deployment works as it is configured: it should be mended, but does not fail the command. */
  readonly isWarning?: true
}

/** Whether something must be done before the deployment can be relied on. */
export function isProblem({ mend, isWarning }: Finding): boolean {
  return mend !== null && isWarning !== true
}

/** What is wrong with a subject that is named elsewhere. */
export type Problem = Omit<Finding, 'subject'>

/** Something that is as it should be. */
export function well(subject: string, found: string): Finding {
  return { subject, found, mend: null }
}

/** Says in a few words why a node gave no answer; never its URL, which may carry a key. */
export function reasonOf(error: unknown): string {
  const { details, shortMessage } = Object(error) as { details?: unknown; shortMessage?: unknown }
  // viem's own errors say in `details` what the node said, and of ours there is only the message.
  const text = String(details || shortMessage || error)
  return text.replace(/https?:\/\/\S+/g, '(url)').slice(0, 100)
}
