import { BaseError } from 'viem'
import { isForeign } from '../node-errors.ts'
import { revertOf } from '../simulate.ts'
import type { TronNode } from './tron-node.ts'

/**
 * Asks the nodes in the given order until one answers: each once. That a call would revert is what the chain says, and no
 * failure of a node: nobody else is asked.
 *
 * @param nodes - not empty
 * @throws {BaseError} viem's, for a revert; else what the first failed by that serves the chain; if none does, `ForeignNodeError`
 */
export async function askTron<Answer>(
  nodes: readonly TronNode[],
  ask: (node: TronNode) => Promise<Answer>,
): Promise<Answer> {
  const failures: unknown[] = []
  for (const node of nodes) {
    try {
      return await ask(node)
    } catch (error) {
      if (error instanceof BaseError && revertOf(error) !== null) throw error
      failures.push(error)
    }
  }
  throw failures.find((failure) => !isForeign(failure)) ?? failures[0]
}

/** Asks all nodes at once; answers what those said that did. */
export async function askAllTron<Answer>(
  nodes: readonly TronNode[],
  ask: (node: TronNode) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const answers = await Promise.allSettled(nodes.map(ask))
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
}
