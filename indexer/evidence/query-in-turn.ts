import type { ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import { isOverBudget } from '../../shared/chain/pacing/throttle.ts'
import type { Hex } from '../../shared/domain/address.ts'
import type { ProofFailure } from '../../shared/domain/evidence/proof-failure.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { ProofResult, WantedReceipts } from './prove-receipts.ts'
import type { ReceiptProver } from './receipt-prover.ts'

type Deps = { readonly log: Logger; readonly prover: ReceiptProver }

/** A block to prove, and the number of the attempt, from 1. */
type Query = { readonly wanted: WantedReceipts; readonly attempt: number }

export type NodeAnswer = {
  readonly results: ReadonlyMap<Hex, ProofResult>
  /** Whether every node failed with `block_not_served`, or every node with `unknown_header`. */
  readonly isUnanimous: boolean
  /** Whether a budget prevented the query of a node in this attempt. */
  readonly isUnsent: boolean
}

/**
 * Maximum duration of an attempt, excluding the start of the thread. Including the start, an attempt is still shorter
 * than the first retry delay, so that two daemons never work on the same task.
 */
const ATTEMPT_MS = 20_000

/**
 * Queries the nodes one after another until one returns the block with a header that we can encode. No quorum is
 * needed, because the proof itself shows whether a report is true. Each attempt starts with the next node, because a
 * node may lie about the receipts. Recently failed nodes come last. A node that is over its budget has not failed.
 */
export async function queryInTurn(
  { prover, log }: Deps,
  { chainId, nodes, health }: ChainNodes,
  { wanted, attempt }: Query,
): Promise<NodeAnswer> {
  const deadline = performance.now() + ATTEMPT_MS
  const refusals: ProofFailure[] = []
  let isUnsent = false
  if (wanted.logsOf.size === 0) return { results: new Map(), isUnanimous: false, isUnsent }
  const first = (attempt - 1) % nodes.length
  for (const node of health.inOrder([...nodes.slice(first), ...nodes.slice(0, first)])) {
    const timeoutMs = deadline - performance.now()
    if (timeoutMs <= 0 || prover.isStopped()) break
    try {
      const results = await prover.prove({ chainId, url: node.url, wanted }, timeoutMs)
      health.noteResponse(node.name)
      const refusal = findRefusal(results)
      if (refusal === null) return { results, isUnanimous: false, isUnsent }
      refusals.push(refusal)
    } catch (error) {
      if (isOverBudget(error)) isUnsent = true
      else health.noteFailure(node.name)
      log.debug({ msg: 'A node returned no receipts', chain_id: chainId, node: node.name, error })
    }
  }
  const [reason = 'block_not_served'] = refusals
  const isUnanimous = refusals.length === nodes.length && refusals.every((one) => one === reason)
  const results = new Map(
    [...wanted.logsOf.keys()].map((txHash): [Hex, ProofResult] => [txHash, { proof: null, reason }]),
  )
  return { results, isUnanimous, isUnsent }
}

/** Returns the reason to query the next node in the same attempt; `null` if this node's results must be used. */
function findRefusal(results: ReadonlyMap<Hex, ProofResult>): ProofFailure | null {
  const [reason] = [...results.values()].map((result) => result.reason)
  return reason === 'block_not_served' || reason === 'unknown_header' ? reason : null
}
