import { hexToBigInt } from 'viem'
import type { Hex } from '../../shared/domain/address.ts'
import { SPLIT_TOPICS, TRANSFER_TOPIC } from '../../shared/domain/log-topics.ts'
import type { InvariantContext } from './invariant-context.ts'
import { type Block, blocksFrom, type Receipt } from './model/chain.ts'
import type { Scene } from './scene.ts'

/** A row as it is now, or as it was when it was counted. */
type Row = {
  readonly what: string
  readonly chainId: number
  readonly txHash: Hex
  readonly blockHash: Hex
  readonly blockTimestamp: number
  readonly logIndex: number
  readonly kind: keyof typeof TOPICS
  /** Sender of a transfer, or account of a split event. */
  readonly party: string
  readonly amount: bigint
}

const TOPICS = {
  transfer: TRANSFER_TOPIC,
  distributed: SPLIT_TOPICS[0],
  held: SPLIT_TOPICS[1],
  released: SPLIT_TOPICS[2],
} as const

/** Index of the party's topic. */
const PARTY_AT = { transfer: 1, distributed: 2, held: 2, released: 2 } as const

/**
 * Invariants 1, 2 and 5: a row is counted with exactly the block, time, log, party and amount that the chain has at
 * confirmation depth. A single lying node cannot change these values, unless an operator trusts it to decide alone;
 * `findUnstruck` checks the rows of such chains at rest.
 */
export async function findFalseCounts({
  database,
  history,
  operators,
}: InvariantContext): Promise<readonly string[]> {
  const rows = await database.sql<Row[]>`
    select what, chain_id, tx_hash, block_hash, block_timestamp::int8, log_index, kind, party, amount from witnessed_counts`
  return rows.flatMap((row) => {
    if (operators.isMistrusted(row.chainId)) return []
    const blocks = history.scenes.get(row.chainId)?.chain.deepBlocks() ?? []
    return isIn(blocks, row)
      ? []
      : [`${row.what} was counted with data that the chain never had: ${textOf(row)}`]
  })
}

/** Number of latest blocks whose invented rows may remain, because a quorum denies rows only at confirmation depth. */
const DENIED_WITHIN_BLOCKS = 15

/**
 * Invariant 1, at rest: every row that is not orphaned is on the chain, except the latest rows of a node that still
 * lies. Rejected transfers are not checked, because they are never counted and no quorum confirms them.
 */
export async function findInventedRows({ database, history }: InvariantContext): Promise<readonly string[]> {
  if ([...history.scenes.values()].some(({ chain }) => chain.hasLostDepth())) return []
  const rows = await database.sql<(Row & { readonly blockNumber: number })[]>`
    select 'transfer ' || id as what, chain_id, tx_hash, block_hash, block_timestamp::int8, log_index, 'transfer' as kind,
      sender as party, value_atomic as amount, block_number
    from transfers where inclusion <> 'orphaned' and accepted and chain_id is not null
    union all
    select kind || ' ' || id, chain_id, tx_hash, block_hash, block_timestamp, log_index, kind, account, amount_atomic,
      block_number
    from split_events where inclusion <> 'orphaned'`
  const blocksOf = new Map([...history.scenes].map(([chainId, scene]) => [chainId, allBlocks(scene)]))
  return rows
    .filter(({ chainId, blockNumber }) => !mayBeTold(history.scenes.get(chainId), blockNumber))
    .filter((row) => !isIn(blocksOf.get(row.chainId) ?? [], row))
    .map((row) => `${row.what} is still present, but the chain does not have it: ${textOf(row)}`)
}

/**
 * Invariant 1, at rest: a counted row was never orphaned, unless the chain lost a block at confirmation depth, or an
 * operator trusted a node to decide alone.
 */
export async function findFalseOrphans({
  database,
  history,
  operators,
}: InvariantContext): Promise<readonly string[]> {
  const rows = await database.sql<{ what: string; chainId: number; txHash: Hex }[]>`
    select what, chain_id, tx_hash from witnessed_orphans`
  return rows
    .filter(({ chainId, txHash }) => {
      const chain = history.scenes.get(chainId)?.chain
      if (chain === undefined || chain.hasLostDepth() || operators.isMistrusted(chainId)) return false
      return chain.deepReceipts(txHash).length > 0
    })
    .map(({ what, txHash }) => `${what} was orphaned after it was counted, although the chain has ${txHash}`)
}

/**
 * Invariant 5: the recorded result of a relayer transaction, except a cancellation, is its result at confirmation
 * depth. An expired transaction was never at confirmation depth.
 */
export async function findFalseResults({
  database,
  history,
  operators,
}: InvariantContext): Promise<readonly string[]> {
  const rows = await database.sql<
    { status: string; chainId: number; txHash: Hex; isCancellation: boolean }[]
  >`
    select status, chain_id, tx_hash, is_cancellation from relayer_transactions
    where status in ('final', 'reverted', 'expired')`
  return rows
    .filter(({ status, chainId, txHash, isCancellation }) => {
      const receipts = history.scenes.get(chainId)?.chain.deepReceipts(txHash) ?? []
      if (operators.isMistrusted(chainId)) return false
      if (status === 'expired') return receipts.length > 0
      return !isCancellation && !receipts.some(({ isSuccess }) => isSuccess === (status === 'final'))
    })
    .map(({ status, txHash }) => `transaction ${txHash} is ${status}, but has another result on the chain`)
}

/** Whether a node of the chain still lies, and its invented rows in this block might not be denied yet. */
function mayBeTold(scene: Scene | undefined, blockNumber: number): boolean {
  const isLying = scene?.nodes.some(({ lie }) => lie !== null) === true
  return isLying && blockNumber > scene.chain.tip().number - DENIED_WITHIN_BLOCKS
}

function allBlocks({ chain }: Scene): readonly Block[] {
  return blocksFrom(chain.tip(), 1)
}

function isIn(blocks: readonly Block[], row: Row): boolean {
  const block = blocks.find(({ hash }) => hash === row.blockHash)
  if (block === undefined || block.timestamp !== row.blockTimestamp) return false
  return block.receipts.some((receipt) => hasLog(receipt, row))
}

function hasLog({ transaction, logs }: Receipt, { txHash, logIndex, kind, party, amount }: Row): boolean {
  if (transaction.hash !== txHash) return false
  return logs.some(
    (log) =>
      log.logIndex === logIndex &&
      log.topics[0] === TOPICS[kind] &&
      log.topics[PARTY_AT[kind]]?.endsWith(party.slice(2)) === true &&
      hexToBigInt(log.data) === amount,
  )
}

function textOf({ txHash, blockHash, blockTimestamp, logIndex, kind, party, amount }: Row): string {
  return [kind, txHash, blockHash, blockTimestamp, logIndex, party, amount].join(' ')
}
