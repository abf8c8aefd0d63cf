/** A check's subject, result and remedy. The remedy is `null` if there is no problem. */
export type Finding = {
  readonly subject: string
  readonly found: string
  readonly remedy: string | null
  /**
   * Whether the problem is only a risk, in a deployment that works as configured. It should be fixed, but does not make
   * the command fail.
   */
  readonly isWarning?: true
}

/** Returns whether the finding must be fixed before the deployment is reliable. */
export function isProblem({ remedy, isWarning }: Finding): boolean {
  return remedy !== null && isWarning !== true
}

/** The problem of a subject that the caller names. */
export type Problem = Omit<Finding, 'subject'>

/** Creates a finding without a problem. */
export function createPassedFinding(subject: string, found: string): Finding {
  return { subject, found, remedy: null }
}

/**
 * Describes the error of a request to a node in at most 100 characters. http URLs are replaced, because they may carry
 * a key.
 */
export function describeError(error: unknown): string {
  const { details, shortMessage } = Object(error) as { details?: unknown; shortMessage?: unknown }
  // viem's errors have the node's message in `details`; our own errors have only `message`.
  const text = String(details || shortMessage || error)
  return text.replace(/https?:\/\/\S+/g, '(url)').slice(0, 100)
}

/** Returns the problem of a node that fails a test query, or `null` if the query succeeds. */
export async function findFailure(
  query: Promise<unknown>,
  toProblem: (failure: string) => Problem,
): Promise<Problem | null> {
  const failure = await query.then(() => null, describeError)
  return failure === null ? null : toProblem(failure)
}
