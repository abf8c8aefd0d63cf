import type { TransactionReceipt } from 'viem'
import type { ChainClient } from '../../shared/chain/client.ts'
import type { ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import { queryNodes } from '../../shared/chain/nodes/query-nodes.ts'
import { findVerdict, quorumOf } from '../../shared/chain/nodes/quorum.ts'
import { findReceipt, requireAbsence } from '../../shared/chain/receipts.ts'
import { type ChainRow, listAllChainRows } from '../../shared/db/chain-facts/daemon/chain-rows.ts'
import {
  CHAIN_TABLES,
  type ChainTable,
  listMissing,
  type MissingRow,
  markJudged,
  markVanished,
  rowNameOf,
} from '../../shared/db/chain-facts/daemon/presence.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { depth } from '../../shared/domain/transfer.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { rowOfMovement, rowOfSplitEvent, rowOfTransfer } from './chain-row-of.ts'
import { decodeReceipt } from './decode-receipt.ts'
import { keepOrdinals } from './keep-ordinals.ts'
import { observeSplitEvents, observeTransfers, type WatchedDeployment } from './observe.ts'
import { observeEscrowMovements } from './observe-escrow-movements.ts'
import { separate } from './set-aside.ts'

type Deps = {
  readonly sql: Sql
  readonly chain: ChainNodes
  readonly deployment: WatchedDeployment
  readonly confirmations: number
  readonly log: Logger
  /** Counts credited transfers that vanished deeper than the confirmation depth. */
  readonly countLostCredit: () => void
}

/** Rows of each table judged in one turn; each costs two requests a node. */
const JUDGED_PER_TURN = 20

const MESSAGES: Readonly<Record<ChainTable, string>> = {
  transfers: 'A transfer vanished from the chain',
  split_events: 'A split event vanished from the chain',
  escrow_movements: 'An escrow movement vanished from the chain',
}

/**
 * Decides which missing rows have vanished from the canonical chain.
 *
 * Absence from Ponder proves nothing: an RPC stalled in the middle of a reorganization kept a canonical payment away
 * for 25 s. A row has vanished when, at a head seen after it disappeared and at least its confirmation depth above
 * its block, a quorum of nodes has no receipt of its transaction with that log, and shows the row's block without the
 * transaction where it has no receipt. While too few say so, the row stays
 * missing, and Ponder may show it again. A transaction that is included again may do something else, or revert: a
 * receipt is proof of the row only if it would be recorded as that row.
 *
 * What was credited stays credited (decisions 3.8): it is marked, counted and logged.
 */
export async function judgeMissing(deps: Deps): Promise<void> {
  const query = { chainId: deps.deployment.chainId, limit: JUDGED_PER_TURN }
  const missing = await listMissing(deps.sql, query)
  // All at once: a node that hangs costs one timeout, not one for each row.
  const judged = await Promise.all(
    missing.map(async (row) => ({ row, isGone: await hasVanished(deps, await besides(deps, row)) })),
  )
  for (const table of CHAIN_TABLES) {
    const ids = missing.flatMap((row) => (row.table === table ? [row.id] : []))
    if (ids.length > 0) await markJudged(deps.sql, table, ids)
  }
  for (const { row, isGone } of judged) {
    if (!isGone || !(await markVanished(deps.sql, row))) continue
    if (row.isCounted && row.table === 'transfers') deps.countLostCredit()
    deps.log[row.isCounted ? 'error' : 'warn']({ msg: MESSAGES[row.table], ...fieldsOf(row) })
  }
}

type Judged = {
  readonly row: MissingRow
  /** All that its table has of its transaction. */
  readonly ledger: readonly ChainRow[]
}

async function besides({ sql, deployment }: Deps, row: MissingRow): Promise<Judged> {
  const of = { chainId: deployment.chainId, txHashes: [row.txHash] }
  return { row, ledger: await listAllChainRows(sql, row.table, of) }
}

async function hasVanished(deps: Deps, judged: Judged): Promise<boolean> {
  const { chain } = deps
  const responses = await queryNodes(chain, ({ client }) => find(client, { deps, judged }))
  const verdict = findVerdict(responses, quorumOf(chain.quorum, chain.getTrusted()), String)
  return verdict.outcome === 'agreed' && verdict.agreed.value === 'gone'
}

/**
 * What one node reports of a row.
 *
 * @throws {Error} if the node does not respond, lists the transaction without its receipt, or its head is not far enough
 *   to say that the row is gone
 */
async function find(
  client: ChainClient,
  { deps, judged }: { readonly deps: Deps; readonly judged: Judged },
): Promise<'included' | 'gone'> {
  const { row } = judged
  const receipt = await findReceipt(client, row.txHash)
  if (receipt !== null && hasLogOf(judged, receipt, deps.deployment)) return 'included'
  if (receipt === null) await requireAbsence(client, row)
  // Read after the log was not there, so the head is of a chain without it.
  const head = await client.getBlockNumber({ cacheTime: 0 })
  if (depth({ head, block: row.blockNumber }) >= deps.confirmations) return 'gone'
  throw new AppError('rpc_unavailable', `head ${head} is not far enough above block ${row.blockNumber}`)
}

/** Judged by the very functions that would record it, so that both always mean the same row. */
function hasLogOf(
  { row, ledger }: Judged,
  receipt: TransactionReceipt,
  deployment: WatchedDeployment,
): boolean {
  const shown = keepOrdinals(rowsIn(receipt, { row, deployment }), { ledger, rowOf: (one) => one })
  return shown.some(
    ({ tokenAddress, ordinal, kind }) =>
      tokenAddress === row.tokenAddress && ordinal === row.ordinal && kind === (row.splitKind ?? ''),
  )
}

/** What a receipt shows of a row's charge, for the table of that row. */
function rowsIn(
  receipt: TransactionReceipt,
  { row, deployment }: { readonly row: MissingRow; readonly deployment: WatchedDeployment },
): readonly ChainRow[] {
  const { transfers, splitEvents } = decodeReceipt({ ...placeOf(receipt), logs: receipt.logs })
  const charges = [{ ...row, id: row.chargeId }]
  switch (row.table) {
    case 'transfers':
      return separate(observeTransfers(transfers, deployment, charges)).fit.map(rowOfTransfer)
    case 'escrow_movements':
      return separate(observeEscrowMovements(transfers, deployment, charges)).fit.map(rowOfMovement)
    case 'split_events':
      return separate(observeSplitEvents(splitEvents, deployment, charges)).fit.map(rowOfSplitEvent)
  }
}

/** The time of its block is no part of a row's identity. */
function placeOf({ transactionHash, blockNumber, blockHash }: TransactionReceipt) {
  return { txHash: transactionHash, blockNumber: Number(blockNumber), blockHash, blockTimestamp: 0 }
}

function fieldsOf(row: MissingRow) {
  return {
    row: rowNameOf(row),
    charge_id: row.chargeId,
    tx_hash: row.txHash,
    block_number: row.blockNumber,
    credited: row.isCounted,
  }
}
