import { queryConfirmedHead } from '../../shared/chain/nodes/query-confirmed-head.ts'
import {
  findWatchedRefund,
  listWatchedRefunds,
  type WatchedRefund,
} from '../../shared/db/refunds/daemon/watched-refunds.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { groupByPosition } from './group-by-position.ts'
import { firstReading, type Reading, readBlocks, secondReading } from './read-blocks.ts'
import { type RefundWatchDeps, readAgreed, readTransfers, recordMatching } from './read-transfers.ts'
import { verifyConfirmed } from './verify-confirmed.ts'
import { verifySeen } from './verify-seen.ts'

/** Maximum refunds per turn. The refunds with the oldest scanned block come first. */
const REFUNDS_PER_TURN = 500
/** A refund that lags because its transactions cannot be decided is read again after this time. */
const REST_MS = 60_000

/**
 * Creates the job that finds the transfers of refunds on one chain. A refund is seen when a quorum of operators shows
 * its transfer, and confirmed when they show it at confirmation depth.
 *
 * A range is completed for a refund only when each transaction that any node lists with its content has been shown or
 * denied by a quorum. The absence of a transfer is never concluded from one node. A refund whose transactions cannot be
 * decided delays no other refund.
 */
export function createRefundWatch(deps: RefundWatchDeps) {
  const { sql, deployment, chain, log } = deps
  const { chainId } = deployment
  /** Times until which refunds rest whose transactions could not be decided, by reading and refund. */
  const resting = new Map<string, number>()

  return { turn, check }

  async function turn(): Promise<'more' | 'idle'> {
    await verifyConfirmed(deps, findDeepBlock)
    const refunds = await listWatchedRefunds(sql, { chainId, limit: REFUNDS_PER_TURN })
    if (refunds.length === 0) return 'idle'
    const deep = await findDeepBlock()
    await verifySeen(deps, refunds, deep)
    const waiting = refunds.filter(({ status }) => status !== 'seen')
    const first = await readAll(waiting, firstReading(deps, deep), deep)
    const second = await readAll(waiting, secondReading(deps, deep), deep)
    return first || second ? 'more' : 'idle'
  }

  /** Looks for the transfer of one refund now: in the named transaction, or in the blocks that were not scanned yet. */
  async function check(id: string, txHash: Hex | null): Promise<void> {
    const refund = await findWatchedRefund(sql, id)
    if (refund === null) return
    const deep = await findDeepBlock()
    await verifySeen(deps, [refund], deep)
    if (txHash === null) await read([refund], firstReading(deps, deep), deep)
    else await checkTransaction(refund, { txHash, deep })
  }

  async function checkTransaction(
    refund: WatchedRefund,
    { txHash, deep }: { readonly txHash: Hex; readonly deep: number },
  ): Promise<void> {
    const agreed = await readAgreed(deps, { txHash, blockNumber: deep })
    const failed = agreed === null ? null : await recordMatching(deps, agreed, { refunds: [refund], deep })
    if (failed === null || failed.length > 0)
      throw new AppError('rpc_unavailable', 'no quorum shows this transaction at the moment; try again')
  }

  async function findDeepBlock(): Promise<number> {
    return (await queryConfirmedHead(chain, deployment)).number
  }

  /** Reads the blocks of all refunds. Returns whether blocks are left. */
  async function readAll(
    refunds: readonly WatchedRefund[],
    reading: Reading,
    deep: number,
  ): Promise<boolean> {
    const { name, positionOf, recentBlock } = reading
    const awake = refunds.filter((refund) => positionOf(refund) >= recentBlock || !isResting(name, refund))
    let hasMore = false
    for (const group of groupByPosition(awake, positionOf, recentBlock))
      hasMore = (await read(group, reading, deep)) || hasMore
    return hasMore
  }

  /** Reads the blocks of refunds. Returns whether blocks are left. */
  async function read(refunds: readonly WatchedRefund[], reading: Reading, deep: number): Promise<boolean> {
    const { name, lastBlock } = reading
    const { firstBlock, end, held } = await readBlocks(deps, { refunds, reading, deep })
    for (const id of held) resting.set(`${name}/${id}`, deps.now().getTime() + REST_MS)
    if (held.size > 0)
      log.warn({ msg: 'Cannot decide the transfers of refunds', chain_id: chainId, refund_ids: [...held] })
    if (name === 'first' && end >= deep)
      await readAboveDepth(refunds, { deep, fromBlock: Math.max(firstBlock, deep + 1) })
    return end < lastBlock && held.size < refunds.length
  }

  /** Looks for transfers above confirmation depth. They are read again at depth, so a failure costs only time. */
  async function readAboveDepth(
    refunds: readonly WatchedRefund[],
    { deep, fromBlock }: { readonly deep: number; readonly fromBlock: number },
  ): Promise<void> {
    const toBlock = deep + deployment.confirmations - 1
    if (toBlock < fromBlock) return
    try {
      await readTransfers(deps, { fromBlock, toBlock, refunds, deep, asksEveryNode: false })
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'rpc_unavailable') throw error
    }
  }

  function isResting(reading: Reading['name'], { id }: WatchedRefund): boolean {
    const key = `${reading}/${id}`
    const isOver = (resting.get(key) ?? 0) <= deps.now().getTime()
    if (isOver) resting.delete(key)
    return !isOver
  }
}
