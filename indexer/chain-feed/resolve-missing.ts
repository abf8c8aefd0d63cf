import type { TransactionReceipt } from 'viem'
import type { ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { ChainClient } from '../../shared/chain/nodes/client.ts'
import { queryNodes } from '../../shared/chain/nodes/query-nodes.ts'
import { createQuorumRule, findVerdict } from '../../shared/chain/nodes/quorum.ts'
import { findReceipt, requireAbsence } from '../../shared/chain/nodes/receipts.ts'
import { type ChainRow, listAllChainRows } from '../../shared/db/chain-facts/daemon/chain-rows.ts'
import {
  CHAIN_TABLES,
  type ChainTable,
  formatRowName,
} from '../../shared/db/chain-facts/daemon/chain-tables.ts'
import {
  listMissingRows,
  type MissingRow,
  markChecked,
  markOrphaned,
} from '../../shared/db/chain-facts/daemon/inclusion.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { getDepth } from '../../shared/domain/transfer.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { partitionStorable } from './dead-letter-logs.ts'
import { decodeReceipt } from './decode-receipt.ts'
import { matchOrdinals } from './match-ordinals.ts'
import type { WatchedDeployment } from './observe.ts'
import { observeRows } from './observe-rows.ts'

type Deps = {
  readonly sql: Sql
  readonly chain: ChainNodes
  readonly deployment: WatchedDeployment
  readonly confirmations: number
  readonly log: Logger
  /** Counts credited transfers that were orphaned deeper than the confirmation depth. */
  readonly countLostCredit: () => void
}

/** Maximum rows checked per table and turn. Each row costs two or three requests per node. */
const JUDGED_PER_TURN = 20

const MESSAGES: Readonly<Record<ChainTable, string>> = {
  transfers: 'A transfer was orphaned',
  split_events: 'A split event was orphaned',
  escrow_transfers: 'An escrow transfer was orphaned',
}

/**
 * Decides which missing rows are orphaned.
 *
 * Absence from Ponder does not prove a reorganization: a node that stalled during a reorganization once hid a canonical
 * payment for 25 s. A row is orphaned if a quorum of nodes shows that its log is gone. A node shows this if its receipt
 * of the transaction lacks the log, or if it has no receipt and its block at the row's height does not list the
 * transaction. In addition, the node's head, read after the row disappeared, must put that block at confirmation depth.
 * Without a quorum the row stays missing, and Ponder may show it again.
 *
 * A transaction that is included again may revert or have other effects. A receipt therefore proves the row only if the
 * receipt's logs would be recorded as that row.
 *
 * A credited row stays credited (decisions 3.8), but is marked as orphaned and logged as an error.
 */
export async function resolveMissing(deps: Deps): Promise<void> {
  const query = { chainId: deps.deployment.chainId, limit: JUDGED_PER_TURN }
  const missing = await listMissingRows(deps.sql, query)
  // In parallel, so that a hanging node costs one timeout instead of one per row.
  const judged = await Promise.all(
    missing.map(async (row) => ({ row, isGone: await isOrphaned(deps, await besides(deps, row)) })),
  )
  for (const table of CHAIN_TABLES) {
    const ids = missing.flatMap((row) => (row.table === table ? [row.id] : []))
    if (ids.length > 0) await markChecked(deps.sql, table, ids)
  }
  for (const { row, isGone } of judged) {
    if (!isGone || !(await markOrphaned(deps.sql, row))) continue
    if (row.isCounted && row.table === 'transfers') deps.countLostCredit()
    deps.log[row.isCounted ? 'error' : 'warn']({ msg: MESSAGES[row.table], ...fieldsOf(row) })
  }
}

type Judged = {
  readonly row: MissingRow
  /** All rows of the transaction in the row's table. */
  readonly ledger: readonly ChainRow[]
}

async function besides({ sql, deployment }: Deps, row: MissingRow): Promise<Judged> {
  const of = { chainId: deployment.chainId, txHashes: [row.txHash] }
  return { row, ledger: await listAllChainRows(sql, row.table, of) }
}

async function isOrphaned(deps: Deps, judged: Judged): Promise<boolean> {
  const { chain } = deps
  const responses = await queryNodes(chain, ({ client }) => find(client, { deps, judged }))
  const verdict = findVerdict(responses, createQuorumRule(chain.quorum, chain.getTrusted()), String)
  return verdict.outcome === 'agreed' && verdict.agreed.value === 'gone'
}

/**
 * Returns whether one node still includes the row's log.
 *
 * @throws {Error} if the node does not respond, lists the transaction without its receipt, or its head is too low to
 * prove that the log is gone
 */
async function find(
  client: ChainClient,
  { deps, judged }: { readonly deps: Deps; readonly judged: Judged },
): Promise<'included' | 'gone'> {
  const { row } = judged
  const receipt = await findReceipt(client, row.txHash)
  if (receipt !== null && hasLogOf(judged, receipt, deps.deployment)) return 'included'
  if (receipt === null) await requireAbsence(client, row)
  // Read the head after the receipt, so that it belongs to a chain without the log.
  const head = await client.getBlockNumber({ cacheTime: 0 })
  if (getDepth({ head, block: row.blockNumber }) >= deps.confirmations) return 'gone'
  throw new AppError('rpc_unavailable', `head ${head} is not far enough above block ${row.blockNumber}`)
}

/** Uses the functions that record receipts, so that rows are identified in the same way. */
function hasLogOf(
  { row, ledger }: Judged,
  receipt: TransactionReceipt,
  deployment: WatchedDeployment,
): boolean {
  const shown = matchOrdinals(rowsIn(receipt, { row, deployment }), ledger)
  return shown.some(
    ({ tokenAddress, ordinal, kind }) =>
      tokenAddress === row.tokenAddress && ordinal === row.ordinal && kind === row.kind,
  )
}

function rowsIn(
  receipt: TransactionReceipt,
  { row, deployment }: { readonly row: MissingRow; readonly deployment: WatchedDeployment },
): readonly ChainRow[] {
  const decoded = decodeReceipt({ ...placeOf(receipt), logs: receipt.logs })
  return partitionStorable<ChainRow>(
    observeRows(decoded, deployment, [{ ...row, id: row.chargeId }])[row.table],
  ).fit
}

/** Sets the block time to 0, because it is not part of a row's identity. */
function placeOf({ transactionHash, blockNumber, blockHash }: TransactionReceipt) {
  return { txHash: transactionHash, blockNumber: Number(blockNumber), blockHash, blockTimestamp: 0 }
}

function fieldsOf(row: MissingRow) {
  return {
    row: formatRowName(row),
    charge_id: row.chargeId,
    tx_hash: row.txHash,
    block_number: row.blockNumber,
    credited: row.isCounted,
  }
}
