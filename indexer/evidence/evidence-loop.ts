import { type ChainNodes, createChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { type CountedLogRow, listCountedLogs } from '../../shared/db/evidence/daemon/counted-logs.ts'
import {
  claimProofTasks,
  type ProofTask,
  recordProofFailure,
  recordReceiptProof,
} from '../../shared/db/evidence/daemon/receipt-proofs.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { CHAIN_FAMILIES } from '../../shared/domain/chain-families/chain-families.ts'
import { buildExpectedLog } from '../../shared/domain/evidence/expected-log.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import { createLoop, type Loop } from '../../shared/runtime/poll-loop.ts'
import type { WatchedToken } from '../chain-feed/observe.ts'
import { buildWatchedToken } from '../chain-feed/watched-deployment.ts'
import { type PlacedLog, type ProofResult, proveReceipts } from './prove-receipts.ts'

type Deps = { readonly sql: Sql; readonly log: Logger }

/**
 * Interval between two blocks, even if more are due. No payment waits for a proof, and strangers who send dust in every
 * block must not use up the quota of the nodes that decide about payments.
 */
const INTERVAL_MS = 1_000
/** Maximum tasks per turn. They are of one block and cost two requests together, so a daemon stops within seconds. */
const TASKS_PER_TURN = 100
/** With delays that double from a minute up to 6 h, the last attempt is made about a day after the first. */
const MAX_ATTEMPTS = 12

/**
 * Creates the loop that proves the receipts of a chain's counted transactions, soon after they count, because nodes may
 * delete old receipts. Any number of daemons may run it.
 */
export function createEvidenceLoop(deps: Deps, deployment: DeploymentConfig): Loop {
  const chain = createChainNodes(deployment, { priority: 'background' })
  const { chainId, family } = deployment
  const tokens = deployment.tokens.map(buildWatchedToken)
  return createLoop({
    ...{ name: `evidence ${chainId}`, intervalMs: INTERVAL_MS, log: deps.log },
    turn: async () => {
      await proveDue(deps, { chain, tokens, hasProofs: CHAIN_FAMILIES[family].provesReceipts })
      return 'idle'
    },
  })
}

type ProvenChain = {
  readonly chain: ChainNodes
  readonly tokens: readonly WatchedToken[]
  /** Whether the chain's headers commit to receipts. */
  readonly hasProofs: boolean
}

/** Claims the due tasks of one block, queries a node outside of any transaction, and records each result. */
export async function proveDue(
  deps: Deps,
  { chain, tokens, hasProofs }: ProvenChain,
): Promise<'more' | 'idle'> {
  const { chainId } = chain
  const tasks = await claimProofTasks(deps.sql, { chainId, limit: TASKS_PER_TURN })
  const [first] = tasks
  if (first === undefined) return 'idle'
  const results = hasProofs ? await prove(deps, { chain, tokens, first, tasks }) : null
  for (const task of tasks)
    await record(deps, { chainId, task, result: results?.get(task.txHash) ?? NOT_COMMITTED })
  return 'more'
}

const NOT_COMMITTED: ProofResult = { proof: null, reason: 'not_committed' }

type BlockTasks = {
  readonly chain: ChainNodes
  readonly tokens: readonly WatchedToken[]
  readonly first: ProofTask
  readonly tasks: readonly ProofTask[]
}

/** Each attempt queries another node, because a node may lack the block or return a false one. */
async function prove(
  { sql, log }: Deps,
  { chain, tokens, first: { blockHash, attempts }, tasks }: BlockTasks,
): Promise<ReadonlyMap<Hex, ProofResult>> {
  const { chainId, health } = chain
  const txHashes = tasks.map(({ txHash }) => txHash)
  const counted = await listCountedLogs(sql, { chainId, blockHash, txHashes })
  const logsOf = new Map(
    txHashes.map((txHash) => [
      txHash,
      counted.filter((row) => row.txHash === txHash).map((row) => placeLog(row, tokens)),
    ]),
  )
  const nodes = health.inOrder(chain.nodes)
  const node = nodes[(attempts - 1) % nodes.length]
  try {
    if (node !== undefined) return await proveReceipts(node.client, { blockHash, logsOf })
  } catch (error) {
    if (node !== undefined) health.noteFailure(node.name)
    log.debug({ msg: 'A node returned no receipts', chain_id: chainId, node: node?.name, error })
  }
  return new Map(txHashes.map((txHash) => [txHash, { proof: null, reason: 'block_not_served' }]))
}

/** An escrow transfer is stored in units of the token; the contract that logs it may use more decimals. */
function placeLog(row: CountedLogRow, tokens: readonly WatchedToken[]): PlacedLog {
  const { kind, logIndex, tokenAddress, party, amountAtomic, dustAtto, address, splitAddress } = row
  const token = tokens.find((one) => one.address === tokenAddress)
  const isEscrow = kind === 'escrow_release' || kind === 'escrow_refund'
  const scale = isEscrow && token !== undefined ? token.emitterDecimals - token.decimals : 0
  const amount = amountAtomic * 10n ** BigInt(scale) + dustAtto
  const emitter = token?.emitter ?? tokenAddress
  const expected = buildExpectedLog({
    ...{ kind, address, splitAddress, token: tokenAddress, emitter, party, amount },
  })
  return { logIndex, expected }
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
