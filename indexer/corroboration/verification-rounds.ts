import type { UncorroboratedTransaction } from '../../shared/db/chain-facts/daemon/uncorroborated.ts'
import type { Hex } from '../../shared/domain/address.ts'

/** Lists transactions that must be verified again, without those in `except`. */
type ListTransactions = (except: readonly Hex[]) => Promise<readonly UncorroboratedTransaction[]>

/** Maximum transactions in memory. If a round has listed more, the next round begins early. */
const MAX_LISTED = 10_000

/**
 * Creates an empty record of the transactions that were listed for verification in this round. A round lists each
 * transaction once, so that transactions that no quorum ever shows cannot keep the few places from the others.
 */
export function createVerificationRounds(list: ListTransactions) {
  const listed = new Set<Hex>()
  return { listNext }

  /**
   * Lists the next transactions of the round, and begins a new round if none is left.
   *
   * @param resting - recently queried transactions, which are skipped
   */
  async function listNext(resting: readonly Hex[]): Promise<readonly UncorroboratedTransaction[]> {
    if (listed.size >= MAX_LISTED) listed.clear()
    const left = await list([...resting, ...listed])
    if (left.length === 0) listed.clear()
    const next = left.length === 0 ? await list(resting) : left
    for (const { txHash } of next) listed.add(txHash)
    return next
  }
}
