import type { ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { Sql } from '../../shared/db/connect.ts'
import {
  type CountedLogRow,
  listCountedLogs,
  listExcessiveDust,
} from '../../shared/db/evidence/daemon/counted-logs.ts'
import {
  claimProofTasks,
  type ProofTask,
  recordProofFailure,
  recordReceiptProof,
  returnProofAttempt,
} from '../../shared/db/evidence/daemon/receipt-proofs.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { buildExpectedLog } from '../../shared/domain/evidence/expected-log.ts'
import { getLoggedAmount } from '../../shared/domain/evidence/logged-amount.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { WatchedToken } from '../chain-feed/observe.ts'
import type { EvidenceMetrics } from './evidence-metrics.ts'
import { isFinalFailure, isIndependentOfNodes } from './is-final-failure.ts'
import type { PlacedLog, ProofResult } from './prove-receipts.ts'
import { type NodeAnswer, queryInTurn } from './query-in-turn.ts'
import type { ReceiptProver } from './receipt-prover.ts'

export type ProofDeps = {
  readonly sql: Sql
  readonly log: Logger
  readonly metrics: EvidenceMetrics
  readonly prover: ReceiptProver
}

export type ProvenChain = {
  readonly chain: ChainNodes
  readonly tokens: readonly WatchedToken[]
  /** Whether the chain's headers commit to receipts. */
  readonly hasProofs: boolean
}

/** Maximum tasks per turn. They all concern one block, so a turn sends at most two requests to each node. */
const TASKS_PER_TURN = 100

/** Maximum proofs per charge of payments below a dollar, because strangers can send any number of such payments. */
const MAX_DUST_PROOFS = 20

/** Claims due tasks of one block, queries nodes outside of any database transaction, and records each result. */
export async function proveDue(deps: ProofDeps, context: ProvenChain): Promise<'more' | 'idle'> {
  const { chainId } = context.chain
  if (deps.prover.isStopped()) return 'idle'
  const tasks = await claimProofTasks(deps.sql, { chainId, limit: TASKS_PER_TURN })
  const [first] = tasks
  if (first === undefined) return 'idle'
  const outcomes = context.hasProofs ? await prove(deps, context, { first, tasks }) : tasks.map(toUncommitted)
  // A stopped daemon records nothing. The tasks become due again for any daemon.
  if (deps.prover.isStopped()) return 'idle'
  for (const outcome of outcomes) await record(deps, chainId, outcome)
  return 'more'
}

type Outcome = {
  readonly task: ProofTask
  readonly result: ProofResult
  readonly isFinal: boolean
  /** Whether the attempt does not count, because a budget prevented the query of a node. */
  readonly isUnsent: boolean
}

function toUncommitted(task: ProofTask): Outcome {
  return { task, result: { proof: null, reason: 'not_committed' }, isFinal: true, isUnsent: false }
}

type BlockTasks = { readonly first: ProofTask; readonly tasks: readonly ProofTask[] }

async function prove(
  deps: ProofDeps,
  { chain, tokens }: ProvenChain,
  { first: { blockHash, attempts }, tasks }: BlockTasks,
): Promise<readonly Outcome[]> {
  const { chainId } = chain
  const txHashes = tasks.map(({ txHash }) => txHash)
  const counted = await listCountedLogs(deps.sql, { chainId, blockHash, txHashes })
  const dust = new Set(
    await listExcessiveDust(deps.sql, { chainId, blockHash, txHashes, maxProofs: MAX_DUST_PROOFS }),
  )
  const logsOf = placeLogs(
    counted.filter(({ txHash }) => !dust.has(txHash)),
    tokens,
  )
  const answer = await queryInTurn(deps, chain, { wanted: { blockHash, logsOf }, attempt: attempts })
  const age = { blockTimestamp: counted[0]?.blockTimestamp ?? 0, nodes: chain.nodes.length }
  return tasks.map((task) => {
    const result = dust.has(task.txHash) ? DUST : findResult(answer, task.txHash)
    const { attempts } = task
    const isUnsent = answer.isUnsent && !isIndependentOfNodes(result.reason)
    const isFinal = !isUnsent && isFinalFailure({ ...result, ...answer, ...age, attempts })
    return { task, result, isFinal, isUnsent }
  })
}

const DUST: ProofResult = { proof: null, reason: 'dust' }

function findResult({ results }: NodeAnswer, txHash: Hex): ProofResult {
  return results.get(txHash) ?? { proof: null, reason: 'block_not_served' }
}

/** Returns the logs that the receipt of each transaction must contain. */
function placeLogs(
  counted: readonly CountedLogRow[],
  tokens: readonly WatchedToken[],
): ReadonlyMap<Hex, readonly PlacedLog[]> {
  const logsOf = new Map<Hex, PlacedLog[]>()
  for (const row of counted)
    logsOf.set(row.txHash, [...(logsOf.get(row.txHash) ?? []), placeLog(row, tokens)])
  return logsOf
}

function placeLog(row: CountedLogRow, tokens: readonly WatchedToken[]): PlacedLog {
  const { kind, logIndex, tokenAddress, party, address, splitAddress } = row
  const token = tokens.find((one) => one.address === tokenAddress)
  const decimals = { token: token?.decimals ?? 0, emitter: token?.emitterDecimals ?? 0 }
  const amount = getLoggedAmount(row, decimals)
  const emitter = token?.emitter ?? tokenAddress
  const expected = buildExpectedLog({
    ...{ kind, address, splitAddress, token: tokenAddress, emitter, party, amount },
  })
  return { logIndex, expected }
}

async function record(
  { sql, log, metrics }: ProofDeps,
  chainId: number,
  { task, result: { proof, reason }, isFinal, isUnsent }: Outcome,
): Promise<void> {
  const { txHash, blockHash, attempts } = task
  const key = { chainId, txHash, blockHash }
  if (isUnsent) return returnProofAttempt(sql, key, attempts)
  if (proof !== null) metrics.countBytes(chainId, await recordReceiptProof(sql, key, proof))
  else await recordProofFailure(sql, key, { reason, isFinal })
  if (proof !== null || isFinal) metrics.countFinished(chainId, reason)
  if (isFinal && reason !== 'not_committed' && reason !== 'dust')
    log.warn({ msg: 'Gave up proving a receipt', chain_id: chainId, tx_hash: txHash, reason })
}
