import { BaseError } from 'viem'
import { isForeign } from '../node-errors.ts'
import { createNodeHealth } from '../nodes/node-health.ts'
import { queryNodes } from '../nodes/query-nodes.ts'
import { revertOf } from '../simulate.ts'
import type { TronNode } from './tron-node.ts'

/**
 * Asks the nodes in the given order until one answers: each once. For tools that an operator watches; nothing that runs
 * by itself may go by one node.
 *
 * @param nodes - not empty
 * @throws {BaseError} viem's, for a revert; else the failure of the first node that serves the chain; if none does,
 *   `ForeignNodeError`
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
  throw failures.find(isRevert) ?? failures.find((failure) => !isForeign(failure)) ?? failures[0]
}

function isRevert(failure: unknown): boolean {
  return failure instanceof BaseError && revertOf(failure) !== null
}

/** Asks all nodes at once; returns the answers of those that respond. Where any one answer is enough. */
export async function askAllTron<Answer>(
  nodes: readonly TronNode[],
  ask: (node: TronNode) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const voters = nodes.map((node) => ({ ...node, operator: node.name }))
  const { reports } = await queryNodes({ nodes: voters, health: createNodeHealth() }, ask)
  return reports.map(({ value }) => value)
}
