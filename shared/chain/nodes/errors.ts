import { BaseError } from 'viem'
import type { Responses } from './node-report.ts'

/** Too few nodes of a chain responded, or they contradict each other: nothing is known. */
export class NoQuorumError extends BaseError {
  /**
   * Carries no cause: a revert in one node's response must not be taken for a revert that a quorum agrees on.
   *
   * @param subject - what the nodes were asked for
   */
  constructor(subject: string, { reports, silent }: Responses<unknown>) {
    const responded = reports.map(({ node }) => node).join(', ') || 'none'
    const failed = silent.map(({ node, error }) => `${node} (${describeError(error)})`).join(', ') || 'none'
    super(`no quorum on ${subject}; responded: ${responded}; silent: ${failed}`, { name: 'NoQuorumError' })
  }
}

/** The first line alone: the rest of a viem error quotes the URL, which may carry a key. */
function describeError(error: unknown): string {
  return error instanceof BaseError ? error.shortMessage : 'failed'
}
