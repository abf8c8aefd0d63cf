import type { Hex } from './address.ts'
import { invariant } from './errors.ts'

/**
 * Why a transfer to a charge's address is recorded but never credited: the charge does not accept its pair, or the
 * transfer came from the charge's own split or Safe and is therefore not a payment by another account.
 */
export const TRANSFER_REJECTION_REASONS = ['pair_not_accepted', 'own_money'] as const

export type TransferRejectionReason = (typeof TRANSFER_REJECTION_REASONS)[number]

/** A log as returned by a node or an indexer. */
export type ChainLog = {
  readonly txHash: Hex
  readonly blockNumber: number
  /** Index of the log in the block. It changes when the transaction is included again after a reorganization. */
  readonly logIndex: number
}

/**
 * Returns the depth of a block. The block itself counts as 1; the result is 0 if the head has not reached the block.
 *
 * @see decisions 2.6: a log counts when its depth is at least the network's confirmations
 */
export function getDepth(blocks: { head: number | bigint; block: number | bigint }): number {
  return Math.max(0, Number(BigInt(blocks.head) - BigInt(blocks.block)) + 1)
}

/**
 * Sorts logs in chain order and numbers the logs of each transaction and subject from 0. This number is the log's
 * ordinal. Transaction, subject and ordinal together identify a log, regardless of which source finds it and when.
 *
 * The log index is not part of the identity. After a reorganization the same transaction can be included with another
 * log index, and its payment must not be credited twice. Pass every log of a transaction that concerns the subject,
 * including transfers of zero. An omitted log shifts the ordinals of later logs, which must then be matched by content
 * (`match-ordinals.ts`).
 *
 * @param subjectOf - groups the logs that are counted together: for a transfer its token and its charge
 * @throws {Error} if a log is given twice
 */
export function assignOrdinals<Log extends ChainLog>(
  logs: readonly Log[],
  subjectOf: (log: Log) => string,
): (Log & { readonly ordinal: number })[] {
  const places = new Set<string>()
  const counts = new Map<string, number>()
  const ordered = logs.toSorted((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
  return ordered.map((log) => {
    const place = `${log.txHash}/${log.logIndex}`
    invariant(!places.has(place), `log ${log.logIndex} of ${log.txHash} was given twice`)
    places.add(place)
    const group = `${log.txHash}/${subjectOf(log)}`
    const ordinal = counts.get(group) ?? 0
    counts.set(group, ordinal + 1)
    return { ...log, ordinal }
  })
}
