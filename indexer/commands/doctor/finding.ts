/** A check's subject, result and remedy. The remedy is `null` if there is no problem. */
export type Finding = {
  readonly subject: string
  readonly found: string
  readonly remedy: string | null
  /** Whether the problem is only a risk. The deployment works, so the command does not fail. */
  readonly isWarning?: true
}

/** Returns whether the finding is a problem that must be fixed, not only a warning. */
export function isProblem({ remedy, isWarning }: Finding): boolean {
  return remedy !== null && isWarning !== true
}

/** A problem, without its subject, which the caller adds. */
export type Problem = Omit<Finding, 'subject'>

/** Creates a finding without a problem. */
export function createPassedFinding(subject: string, found: string): Finding {
  return { subject, found, remedy: null }
}

/** Describes a request's error in at most 100 characters. Replaces http URLs, because they may carry a key. */
export function describeError(error: unknown): string {
  const { details, shortMessage } = Object(error) as { details?: unknown; shortMessage?: unknown }
  // viem's errors have the node's message in `details`; our own errors have only `message`.
  const text = String(details || shortMessage || error)
  return text.replace(/https?:\/\/\S+/g, '(url)').slice(0, 100)
}

/** Returns the problem for a query that fails, or `null` if the query succeeds. */
export async function findFailure(
  query: Promise<unknown>,
  toProblem: (failure: string) => Problem,
): Promise<Problem | null> {
  const failure = await query.then(() => null, describeError)
  return failure === null ? null : toProblem(failure)
}
