import { type ChainNodes, createChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { Sql } from '../../shared/db/connect.ts'
import {
  claimProofTasks,
  type ProofTask,
  recordProofFailure,
  recordReceiptProof,
} from '../../shared/db/evidence/daemon/receipt-proofs.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { CHAIN_FAMILIES } from '../../shared/domain/chain-families/chain-families.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import { createLoop, type Loop } from '../../shared/runtime/poll-loop.ts'
import { type ProofResult, proveReceipts } from './prove-receipts.ts'

type Deps = { readonly sql: Sql; readonly log: Logger }

/** No payment waits for a proof. */
const INTERVAL_MS = 2_000
/** Maximum tasks per turn. They are of one block and cost two requests together, so a daemon stops within seconds. */
const TASKS_PER_TURN = 100
/** With delays that double from 15 s up to 6 h, the last attempt is made about a day after the first. */
const MAX_ATTEMPTS = 14

/**
 * Creates the loop that proves the receipts of a chain's counted transactions, soon after they count, because nodes may
 * delete old receipts. Any number of daemons may run it.
 */
export function createEvidenceLoop(deps: Deps, deployment: DeploymentConfig): Loop {
  const chain = createChainNodes(deployment)
  const { chainId, family } = deployment
  return createLoop({
    ...{ name: `evidence ${chainId}`, intervalMs: INTERVAL_MS, log: deps.log },
    turn: () => proveDue(deps, { chain, hasProofs: CHAIN_FAMILIES[family].provesReceipts }),
  })
}

type ProvenChain = {
  readonly chain: ChainNodes
  /** Whether the chain's headers commit to receipts. */
  readonly hasProofs: boolean
}

/** Claims the due tasks of one block, queries a node outside of any transaction, and records each result. */
export async function proveDue(deps: Deps, { chain, hasProofs }: ProvenChain): Promise<'more' | 'idle'> {
  const { chainId } = chain
  const tasks = await claimProofTasks(deps.sql, { chainId, limit: TASKS_PER_TURN })
  const [first] = tasks
  if (first === undefined) return 'idle'
  const results = hasProofs ? await prove(deps, { chain, first, tasks }) : null
  for (const task of tasks)
    await record(deps, { chainId, task, result: results?.get(task.txHash) ?? NOT_COMMITTED })
  return 'more'
}

const NOT_COMMITTED: ProofResult = { proof: null, reason: 'not_committed' }

type BlockTasks = {
  readonly chain: ChainNodes
  readonly first: ProofTask
  readonly tasks: readonly ProofTask[]
}

/** Each attempt queries another node, because a node may lack the block or return a false one. */
async function prove(
  { log }: Deps,
  { chain, first: { blockHash, attempts }, tasks }: BlockTasks,
): Promise<ReadonlyMap<Hex, ProofResult>> {
  const txHashes = tasks.map(({ txHash }) => txHash)
  const nodes = chain.health.inOrder(chain.nodes)
  const node = nodes[(attempts - 1) % nodes.length]
  try {
    if (node !== undefined) return await proveReceipts(node.client, { blockHash, txHashes })
  } catch (error) {
    log.debug({ msg: 'A node returned no receipts', chain_id: chain.chainId, node: node?.name, error })
  }
  return new Map(txHashes.map((txHash) => [txHash, { proof: null, reason: 'block_not_served' }]))
}

type Outcome = { readonly chainId: number; readonly task: ProofTask; readonly result: ProofResult }

async function record(
  { sql, log }: Deps,
  { chainId, task, result: { proof, reason } }: Outcome,
): Promise<void> {
  const { txHash, blockHash, attempts } = task
  const key = { chainId, txHash, blockHash }
  if (proof !== null) return recordReceiptProof(sql, key, proof)
  const isFinal = reason === 'not_committed' || reason === 'too_large' || attempts >= MAX_ATTEMPTS
  await recordProofFailure(sql, key, { reason, isFinal })
  if (isFinal && reason !== 'not_committed')
    log.warn({ msg: 'Gave up proving a receipt', chain_id: chainId, tx_hash: txHash, reason })
}
