import { BaseError } from 'viem'
import { isWrongChain } from '../nodes/node-errors.ts'
import { createNodeHealth } from '../nodes/node-health.ts'
import { queryNodes } from '../nodes/query-nodes.ts'
import { findRevert } from '../nodes/simulate.ts'
import type { TronNode } from './tron-node.ts'

/**
 * Queries each node once, in the given order, until one returns a value. After a revert, the remaining nodes are still
 * queried. For commands that an operator supervises; unattended code must never rely on a single node.
 *
 * @param nodes - not empty
 * @throws {BaseError} the revert if a node reported one; otherwise the first failure other than `WrongChainError`;
 * `WrongChainError` if every node serves another chain
 */
export async function queryTron<Answer>(
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
  throw failures.find(isRevert) ?? failures.find((failure) => !isWrongChain(failure)) ?? failures[0]
}

function isRevert(failure: unknown): boolean {
  return failure instanceof BaseError && findRevert(failure) !== null
}

/** Queries all nodes concurrently and returns the responses. Use only if any single response is sufficient. */
export async function queryAllTron<Answer>(
  nodes: readonly TronNode[],
  ask: (node: TronNode) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const voters = nodes.map((node) => ({ ...node, operator: node.name }))
  const { reports } = await queryNodes({ nodes: voters, health: createNodeHealth() }, ask)
  return reports.map(({ value }) => value)
}
