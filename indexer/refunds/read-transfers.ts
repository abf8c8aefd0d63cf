import type { Agreed } from '../../shared/chain/nodes/quorum.ts'
import type { PositionedReceipt } from '../../shared/chain/nodes/receipts.ts'
import type { WatchedRefund } from '../../shared/db/refunds/daemon/watched-refunds.ts'
import type { CheckedChain } from '../corroboration/checked-chain.ts'
import type { TransactionClaim } from '../corroboration/log-source.ts'
import { queryEffects } from '../corroboration/query-effects.ts'
import { findTransfers, type Scan } from './find-transfers.ts'
import { keyOf, matchTransfers } from './match-transfers.ts'
import { type RefundRecorder, recordTransfer } from './record-transfer.ts'

export type RefundWatchDeps = RefundRecorder & CheckedChain

/** Divisor of a log index; greater than the number of logs in any block. */
const MAX_LOGS = 1_000_000
/** Maximum transactions queried concurrently. On an EVM chain, each costs two requests per node of a quorum. */
export const AT_ONCE = 10

/**
 * Reads the transactions of a range that might pay these refunds, and records their transfers in chain order.
 *
 * @param scan.deep - the highest block at confirmation depth
 * @returns the ids of the undecided refunds: no quorum shows or denies one of their transactions, more of their
 * transactions are listed than are examined, or their transfer could not be recorded
 */
export async function readTransfers(
  deps: RefundWatchDeps,
  scan: Scan & { readonly deep: number },
): Promise<readonly string[]> {
  const { transactions, crowded } = await findTransfers(deps, scan)
  const open = new Set(crowded)
  const receipts: AgreedReceipt[] = []
  for (let at = 0; at < transactions.length; at += AT_ONCE) {
    const some = transactions.slice(at, at + AT_ONCE)
    const decided = await Promise.all(
      some.map(({ txHash, highestBlock }) => readAgreed(deps, { txHash, blockNumber: highestBlock })),
    )
    for (const [index, { contents }] of some.entries()) {
      const agreed = decided[index] ?? null
      if (agreed === null) for (const content of contents) open.add(content)
      else receipts.push(agreed)
    }
  }
  const held = new Set<string>()
  for (const receipt of receipts.toSorted(inChainOrder))
    for (const id of await recordMatching(deps, receipt, scan)) held.add(id)
  return scan.refunds.filter((refund) => open.has(keyOf(refund)) || held.has(refund.id)).map(({ id }) => id)
}

/** A receipt that a quorum shows; the value is `null` if a quorum denies the transaction. */
export type AgreedReceipt = Agreed<PositionedReceipt | null>

/** Returns `null` if no quorum agrees. */
export async function readAgreed(
  { sources }: CheckedChain,
  claim: TransactionClaim,
): Promise<AgreedReceipt | null> {
  const verdict = await queryEffects(sources, claim)
  return verdict.outcome === 'agreed' ? verdict.agreed : null
}

/** Records the transfers of a transaction. Returns the ids of the refunds for which that failed. */
export async function recordMatching(
  deps: RefundWatchDeps,
  { value: receipt, by: agreedBy }: AgreedReceipt,
  { refunds, deep }: { readonly refunds: readonly WatchedRefund[]; readonly deep: number },
): Promise<readonly string[]> {
  if (receipt === null) return []
  const failed: string[] = []
  for (const { refund, count } of matchTransfers(receipt, { deployment: deps.deployment, refunds })) {
    const isDeep = receipt.blockNumber <= deep
    await recordTransfer(deps, { refund, count, receipt, agreedBy, isDeep }).catch((error: unknown) => {
      // A failure must not block the other refunds.
      const fields = { refund_id: refund.id, tx_hash: receipt.txHash, error }
      deps.log.error({ msg: 'Could not record the transfer of a refund', ...fields })
      failed.push(refund.id)
    })
  }
  return failed
}

/** Compares receipts by their position in the chain, because the first of two equal transfers pays a refund. */
function inChainOrder({ value: left }: AgreedReceipt, { value: right }: AgreedReceipt): number {
  return positionOf(left) - positionOf(right)
}

/** Returns the position of a receipt in the chain; 0 for a denied transaction, which pays nothing. */
function positionOf(receipt: PositionedReceipt | null): number {
  if (receipt === null) return 0
  return receipt.blockNumber + (receipt.logs[0]?.logIndex ?? 0) / MAX_LOGS
}
