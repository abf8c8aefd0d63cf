import { BaseError } from 'viem'
import type { Responses } from './node-report.ts'

/** Thrown if too few nodes of a chain responded, or if they contradict each other. */
export class NoQuorumError extends BaseError {
  /**
   * Sets no cause, so that one node's revert is not taken for a revert that a quorum agrees on.
   *
   * @param subject - the requested value, for the message
   */
  constructor(subject: string, { reports, silent }: Responses<unknown>) {
    const responded = reports.map(({ node }) => node).join(', ') || 'none'
    const failed = silent.map(({ node, error }) => `${node} (${describeError(error)})`).join(', ') || 'none'
    super(`no quorum on ${subject}; responded: ${responded}; silent: ${failed}`, { name: 'NoQuorumError' })
  }
}

/**
 * Returns only the first line of the message, because the rest of a viem error quotes the URL, which may contain a key.
 */
function describeError(error: unknown): string {
  return error instanceof BaseError ? error.shortMessage : 'failed'
}
