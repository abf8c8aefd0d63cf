import type { UncorroboratedTransaction } from '../../shared/db/chain-facts/daemon/uncorroborated.ts'
import type { Hex } from '../../shared/domain/address.ts'

/** Lists transactions that must be verified again, without those in `except`. */
type ListTransactions = (except: readonly Hex[]) => Promise<readonly UncorroboratedTransaction[]>

/** Maximum transactions in memory. If more wait, a round begins early, and does not reach the others. */
const MAX_QUERIED = 10_000

/**
 * Creates an empty record of the transactions that were queried for verification in this round. A round queries each
 * transaction once, so that transactions that no quorum ever shows cannot keep the few places from the others. This
 * holds for at most `MAX_QUERIED` transactions that no quorum shows.
 */
export function createVerificationRounds(list: ListTransactions) {
  const queried = new Set<Hex>()
  return { listNext, note }

  /**
   * Lists the next transactions of the round, and begins a new round if none is left.
   *
   * @param resting - recently queried transactions, which are skipped
   */
  async function listNext(resting: readonly Hex[]): Promise<readonly UncorroboratedTransaction[]> {
    if (queried.size >= MAX_QUERIED) queried.clear()
    const left = await list([...resting, ...queried])
    if (left.length > 0 || queried.size === 0) return left
    queried.clear()
    return list(resting)
  }

  /** Records that transactions were queried. Only the next round lists them again. */
  function note(all: readonly UncorroboratedTransaction[]): void {
    for (const { txHash } of all) queried.add(txHash)
  }
}
