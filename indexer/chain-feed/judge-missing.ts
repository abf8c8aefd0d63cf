import { type Log, TransactionReceiptNotFoundError } from 'viem'
import type { ChainClient } from '../../shared/chain/client.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { type ChainTable, listMissing, type MissingRow, markVanished } from '../../shared/db/presence.ts'
import { depth } from '../../shared/domain/transfer.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { addressTopic, SPLIT_TOPICS, TRANSFER_TOPIC } from './log-filter.ts'
import type { ChainNode } from './node-heads.ts'
import type { WatchedToken } from './observe.ts'

type Deps = {
  readonly sql: Sql
  /** One for each node of the deployment: they are asked apart, because one of them may lag. */
  readonly nodes: readonly ChainNode[]
  readonly chainId: number
  readonly confirmations: number
  readonly tokens: readonly WatchedToken[]
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

/** In the order of `SPLIT_TOPICS`. */
const SPLIT_KINDS: readonly MissingRow['kind'][] = ['distributed', 'held', 'released']

/**
 * Decides which missing rows have vanished from the canonical chain.
 *
 * Absence from Ponder proves nothing: an RPC stalled in the middle of a reorganization kept a canonical payment away
 * for 25 s. A row has vanished when, at a head seen after it disappeared and at least its confirmation depth above
 * its block, every node that answers has no receipt of its transaction with that log, and at least one answers. While
 * any has it, the row stays missing and Ponder will show it again. A transaction that is included again may do
 * something else, or revert: a receipt without the log is no proof of the row.
 *
 * What was credited stays credited (decisions 3.8): it is marked, counted and logged.
 */
export async function judgeMissing(deps: Deps): Promise<void> {
  const query = { chainId: deps.chainId, limit: JUDGED_PER_TURN }
  const missing = await listMissing(deps.sql, query)
  // All at once: a node that hangs costs one timeout, not one for each row.
  const judged = await Promise.all(
    missing.map(async (row) => ({ row, isGone: await hasVanished(deps, row) })),
  )
  for (const { row, isGone } of judged) {
    if (!isGone || !(await markVanished(deps.sql, row))) continue
    if (row.isCounted && row.table === 'transfers') deps.countLostCredit()
    deps.log[row.isCounted ? 'error' : 'warn']({ msg: MESSAGES[row.table], ...fieldsOf(row) })
  }
}

async function hasVanished(deps: Deps, row: MissingRow): Promise<boolean> {
  const answers = await Promise.all(deps.nodes.map(({ client }) => ask(client, { deps, row })))
  return answers.includes('gone') && !answers.includes('there')
}

/** What one node says: it has the receipt, it is far enough and has none, or nothing that decides. */
async function ask(
  client: ChainClient,
  { deps, row }: { readonly deps: Deps; readonly row: MissingRow },
): Promise<'there' | 'gone' | 'unknown'> {
  try {
    const receipt = await client.getTransactionReceipt({ hash: row.txHash }) // Throws when there is none.
    if (hasLogOf(row, receipt.logs, deps.tokens)) return 'there'
  } catch (error) {
    if (!(error instanceof TransactionReceiptNotFoundError)) return 'unknown'
  }
  return (await isDeep(client, { deps, row })) ? 'gone' : 'unknown'
}

function hasLogOf(row: MissingRow, logs: readonly Log[], tokens: readonly WatchedToken[]): boolean {
  const isOfSplit = SPLIT_KINDS.includes(row.kind)
  const alike = logs.filter((log) => (isOfSplit ? isSplitEventOf(row, log) : isTransferOf(row, log, tokens)))
  return alike.length > row.ordinal
}

function isTransferOf(row: MissingRow, log: Log, tokens: readonly WatchedToken[]): boolean {
  // An escrow's movement leaves the account, any other transfer pays it.
  const party = row.kind === 'escrow_movement' ? log.topics[1] : log.topics[2]
  const emitter = tokens.find(({ address }) => address === row.tokenAddress)?.emitter ?? row.tokenAddress
  return (
    log.topics[0] === TRANSFER_TOPIC &&
    party === addressTopic(row.account) &&
    log.address.toLowerCase() === emitter
  )
}

function isSplitEventOf(row: MissingRow, log: Log): boolean {
  return (
    log.topics[0] === SPLIT_TOPICS[SPLIT_KINDS.indexOf(row.kind)] &&
    log.topics[1] === addressTopic(row.tokenAddress) &&
    log.address.toLowerCase() === row.account
  )
}

/** Asked after the log was not there, so the head is of a chain without it. */
async function isDeep(
  client: ChainClient,
  { deps, row }: { readonly deps: Deps; readonly row: MissingRow },
): Promise<boolean> {
  try {
    const head = await client.getBlockNumber({ cacheTime: 0 })
    return depth({ head, block: row.blockNumber }) >= deps.confirmations
  } catch {
    return false // The node stopped answering: nothing is decided.
  }
}

function fieldsOf(row: MissingRow) {
  return { row_id: row.id, tx_hash: row.txHash, block_number: row.blockNumber, credited: row.isCounted }
}
