import { isForeign } from '../node-errors.ts'
import type { TronNode } from './tron-node.ts'

/**
 * Asks the nodes in the given order until one answers: each once.
 *
 * @param nodes - not empty
 * @throws what the first failed by that serves the chain; if none does, `ForeignNodeError`
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
