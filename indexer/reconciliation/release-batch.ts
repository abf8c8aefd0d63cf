import {
  type ChargeComparison,
  releaseComparisons,
} from '../../shared/db/chain-facts/daemon/charge-comparisons.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { Clock } from '../../shared/runtime/clock.ts'

type Deps = {
  readonly sql: Sql
  readonly deployment: { readonly chainId: number }
  readonly now: Clock
}

type Batch = readonly ChargeComparison[]

const UNREAD_AGAIN_MS = 60_000
/** Backoff after a failed range. It doubles up to an hour. */
const FAILED_AGAIN_MS = 60_000
const MAX_FAILED_AGAIN_MS = 3_600_000

/** Creates the functions that release the batches of one chain for a later turn. */
export function createBatchRelease({ sql, deployment: { chainId }, now }: Deps) {
  return {
    /** Releases charges whose balances no quorum returned. They may join another batch. */
    unread: (batch: Batch) => release(batch, { waitMs: UNREAD_AGAIN_MS, batchId: null, failures: 0 }),
    /** Releases a batch that has reached the turn's limit. Batches that have waited longer come before it. */
    unfinished: (batch: Batch) => release(batch, { waitMs: 0, batchId: idOf(batch), failures: 0 }),
    /**
     * Releases a batch whose next range was not read, because a node's request budget was used up. This is not a
     * failure.
     */
    unasked: (batch: Batch) =>
      release(batch, { waitMs: UNREAD_AGAIN_MS, batchId: idOf(batch), failures: batch[0]?.failures ?? 0 }),
    failed,
    unsure,
  }

  function failed(batch: Batch): Promise<void> {
    const failures = (batch[0]?.failures ?? 0) + 1
    const waitMs = Math.min(MAX_FAILED_AGAIN_MS, FAILED_AGAIN_MS * 2 ** (failures - 1))
    return release(batch, { waitMs, failures, batchId: idOf(batch) })
  }

  /**
   * Releases, in two halves, a batch with a transaction that no quorum shows or denies. After several such splits, the
   * transaction delays only its own charge. A batch of one charge is released as failed.
   */
  async function unsure(batch: Batch): Promise<void> {
    if (batch.length < 2) return failed(batch)
    const middle = Math.ceil(batch.length / 2)
    for (const half of [batch.slice(0, middle), batch.slice(middle)])
      await release(half, { waitMs: 0, batchId: half[0]?.id ?? null, failures: 0 })
  }

  function release(
    batch: Batch,
    change: { readonly waitMs: number; readonly batchId: string | null; readonly failures: number },
  ): Promise<void> {
    const { waitMs, batchId, failures } = change
    const nextAt = new Date(now().getTime() + waitMs)
    const chargeIds = batch.map(({ id }) => id)
    return releaseComparisons(sql, { chainId, chargeIds, nextAt }, { failures, batchId })
  }
}

function idOf([one]: Batch): string | null {
  return one?.batchId ?? null
}
