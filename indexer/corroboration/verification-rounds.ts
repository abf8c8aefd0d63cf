import type { UncorroboratedTransaction } from '../../shared/db/chain-facts/daemon/uncorroborated.ts'
import type { Hex } from '../../shared/domain/address.ts'

/** Lists transactions that must be verified again, except those in `except`. */
type ListTransactions = (except: readonly Hex[]) => Promise<readonly UncorroboratedTransaction[]>

/** Number of queried transactions at which the next round begins, even if this round has not reached all others. */
const MAX_QUERIED = 10_000

/**
 * Creates an empty record of the transactions that were queried for verification in this round. A turn
 * verifies only a few transactions. A round therefore queries each transaction at most once, so that transactions that
 * no quorum ever shows cannot fill every turn and delay the others for ever. If there are more than `MAX_QUERIED` such
 * transactions, the others after them are not reached.
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

  /** Records that transactions were queried. They are not listed again before the next round. */
  function note(all: readonly UncorroboratedTransaction[]): void {
    for (const { txHash } of all) queried.add(txHash)
  }
}
