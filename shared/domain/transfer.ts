import type { Hex } from './address.ts'
import { invariant } from './errors.ts'

/**
 * Why a transfer to a charge's address is recorded and never credited: the charge does not accept its pair; or it came
 * from the charge's own split or Safe, so that nobody else paid it.
 */
export const TRANSFER_REFUSALS = ['pair_not_accepted', 'own_money'] as const

export type TransferRefusal = (typeof TRANSFER_REFUSALS)[number]

/** A log as a chain or an indexer shows it. */
export type ChainLog = {
  readonly txHash: Hex
  readonly blockNumber: number
  /** Its place in the block; moves when the transaction is included again after a reorganization. */
  readonly logIndex: number
}

/**
 * Answers how deep a block is buried, its own depth being 1; 0 if the head has not reached it.
 *
 * @see decisions 2.6: a log counts when its depth is at least the network's confirmations
 */
export function depth(blocks: { head: number | bigint; block: number | bigint }): number {
  return Math.max(0, Number(BigInt(blocks.head) - BigInt(blocks.block)) + 1)
}

/**
 * Puts logs in the order of the chain, each with its ordinal from 0 among those of its transaction and subject: with
 * the transaction and the subject, that is its identity, whoever finds it and whenever.
 *
 * Not the log index: after a reorganization the same transaction comes back with another one, and its payment must
 * not be credited twice. Pass every log of a transaction that concerns the subject, transfers of zero included: one
 * left out moves the ordinals of those after it, and then they must be found by what they say (`keep-ordinals.ts`).
 *
 * @param subjectOf - what a log is counted among: for a transfer its token and its charge
 * @throws {Error} if a log is given twice
 */
export function identify<Log extends ChainLog>(
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
