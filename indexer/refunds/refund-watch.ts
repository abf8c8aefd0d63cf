import { queryConfirmedHead } from '../../shared/chain/nodes/query-confirmed-head.ts'
import {
  findWatchedRefund,
  listWatchedRefunds,
  type WatchedRefund,
} from '../../shared/db/refunds/daemon/watched-refunds.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { firstReading, type Reading, readBlocks, secondReading } from './read-blocks.ts'
import { type RefundWatchDeps, readAgreed, readTransfers, recordMatching } from './read-transfers.ts'
import { createReadingGroups } from './reading-groups.ts'
import { verifyConfirmed } from './verify-confirmed.ts'
import { verifySeen } from './verify-seen.ts'

const PER_TURN = { open: 300, seen: 100, ended: 100 } as const

/**
 * Creates the job that finds the transfers of refunds on one chain. A refund becomes seen when a quorum of operators
 * shows its transfer, and confirmed when a quorum shows the transfer at confirmation depth.
 *
 * A range is completed for a refund only when a quorum has shown or denied every transaction that any node lists with
 * the refund's content. A refund whose range cannot be completed does not delay other refunds.
 */
export function createRefundWatch(deps: RefundWatchDeps) {
  const { sql, deployment, chain, log } = deps
  const { chainId } = deployment
  const groups = createReadingGroups(deps.now)

  return { turn, check }

  async function turn(): Promise<'more' | 'idle'> {
    await verifyConfirmed(deps, findDeepBlock)
    const refunds = await listWatchedRefunds(sql, { chainId, limits: PER_TURN })
    if (refunds.length === 0) return 'idle'
    const deep = await findDeepBlock()
    await verifySeen(deps, refunds, deep)
    const waiting = refunds.filter(({ status }) => status !== 'seen')
    const first = await readAll(waiting, firstReading(deps, deep), deep)
    const second = await readAll(waiting, secondReading(deps, deep), deep)
    return first || second ? 'more' : 'idle'
  }

  /** Looks for the transfer of one refund now: in the given transaction, or in blocks that were not scanned yet. */
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
      throw new AppError('rpc_unavailable', 'this transaction cannot be checked at the moment; try again')
  }

  async function findDeepBlock(): Promise<number> {
    return (await queryConfirmedHead(chain, deployment)).number
  }

  /**
   * Reads the next blocks for all refunds. Returns whether blocks are left that can be read immediately. If old blocks
   * cannot be listed, pauses only the lagging refunds, because nodes might refuse old blocks permanently.
   *
   * @throws {AppError} `rpc_unavailable` if no quorum lists recent blocks
   */
  async function readAll(
    refunds: readonly WatchedRefund[],
    reading: Reading,
    deep: number,
  ): Promise<boolean> {
    let hasMore = false
    for (const { refunds: group, isRecent } of groups.list(refunds, reading)) {
      const more = await read(group, reading, deep).catch((error: unknown) => {
        if (isRecent || !isUnavailable(error)) throw error
        groups.rest(reading, group)
        warn('Cannot list the transfers of refunds that lag', group)
        return false
      })
      hasMore = more || hasMore
    }
    return hasMore
  }

  /** Reads the next blocks for a group of refunds. Returns whether blocks are left that can be read immediately. */
  async function read(refunds: readonly WatchedRefund[], reading: Reading, deep: number): Promise<boolean> {
    const { firstBlock, end, held, unlisted, isCut } = await readBlocks(deps, { refunds, reading, deep })
    const undecided = refunds.filter(({ id }) => held.has(id))
    const refused = refunds.filter(({ id }) => unlisted.has(id))
    const complete = refunds.filter(({ id }) => !held.has(id) && !unlisted.has(id))
    groups.rest(reading, undecided)
    groups.isolate(reading, refused)
    warn('Cannot decide the transfers of refunds', undecided)
    warn('Cannot list the transfers of refunds, although nodes serve shorter lists', refused)
    if (end >= reading.lastBlock) groups.rejoin(reading, complete)
    if (reading.name === 'first' && end >= deep)
      await readAboveDepth(refunds, { deep, fromBlock: Math.max(firstBlock, deep + 1) })
    return end < reading.lastBlock && !isCut && complete.length > 0
  }

  function warn(msg: string, refunds: readonly WatchedRefund[]): void {
    if (refunds.length > 0) log.warn({ msg, chain_id: chainId, refund_ids: refunds.map(({ id }) => id) })
  }

  /**
   * Looks for transfers above confirmation depth. A failure only delays them, because their blocks are read again at
   * confirmation depth.
   */
  async function readAboveDepth(
    refunds: readonly WatchedRefund[],
    { deep, fromBlock }: { readonly deep: number; readonly fromBlock: number },
  ): Promise<void> {
    const toBlock = deep + deployment.confirmations - 1
    if (toBlock < fromBlock) return
    try {
      await readTransfers(deps, { fromBlock, toBlock, refunds, deep, asksEveryNode: false })
    } catch (error) {
      if (!isUnavailable(error)) throw error
    }
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && error.code === 'rpc_unavailable'
}
