import type { RefundPayload, RefundResult } from '../../shared/db/refunds/refund-requests.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { createRequestWorker } from '../requests/request-worker.ts'
import { applyRefundNews } from './apply-refund-news.ts'
import { claimDestination } from './claim-destination.ts'
import { approveDestination, rejectDestination, renewClaimLink } from './decide-claim.ts'
import { type DeclareDeps, declareRefund } from './declare-refund.ts'
import { lockRefundOf, type OfCharge } from './lock-refund-of.ts'
import type { RefundRecorder } from './record-transfer.ts'
import { simulateRefund } from './simulate-refund.ts'

export type RefundWorkerDeps = RefundRecorder &
  DeclareDeps & {
    /** Searches a chain for the transfer of a refund. */
    readonly check: (chainId: number, refundId: string, txHash: Hex | null) => Promise<void>
    /** Called when the worker can take another request. */
    readonly onFree: () => void
    /** Timeout of a request. */
    readonly timeoutMs?: number
  }

/**
 * Creates the worker that processes the requests of merchants and payers about refunds. A repeated declaration is
 * recognized by its idempotency key. Any other request can safely run twice.
 */
export function createRefundWorker(deps: RefundWorkerDeps) {
  return createRequestWorker({
    ...deps,
    kind: 'refund',
    fulfil: ({ chargeId, apiRequestId }, payload) => carryOut({ ...deps, apiRequestId }, chargeId, payload),
  })
}

function carryOut(deps: RefundWorkerDeps, chargeId: string, payload: RefundPayload): Promise<RefundResult> {
  switch (payload.action) {
    case 'declare':
      return declareRefund(deps, { chargeId, declaration: payload })
    case 'claim':
      return claimDestination(deps, { chargeId, claim: payload })
    case 'approve':
      return approveDestination(deps, { chargeId, id: payload.refundId, address: payload.address })
    case 'reject':
      return rejectDestination(deps, { chargeId, id: payload.refundId, claimHash: payload.claimHash })
    case 'renew_link':
      return renewClaimLink(deps, { chargeId, id: payload.refundId, claimHash: payload.claimHash })
    case 'cancel':
      return cancelRefund(deps, { chargeId, id: payload.refundId })
    case 'check':
      return checkRefund(deps, { chargeId, id: payload.refundId, txHash: payload.txHash })
    case 'simulate':
      return simulateRefund(deps, { chargeId, event: payload.event })
  }
}

/** @throws {AppError} `refund_already_seen` if the transfer was seen or confirmed; `refund_not_found` */
async function cancelRefund(deps: RefundWorkerDeps, of: OfCharge): Promise<RefundResult> {
  const { id } = of
  await inTransaction(deps.sql, async (db) => {
    const { status } = await lockRefundOf(db, of)
    if (status === 'seen' || status === 'confirmed')
      throw new AppError('refund_already_seen', `the transfer of ${id} is already on its chain`)
    await applyRefundNews(deps, db, { id, report: { type: 'cancel.ordered' }, now: deps.now() })
  })
  return { outcome: 'done', refundId: id, isReplay: false }
}

async function checkRefund(
  deps: RefundWorkerDeps,
  { txHash, ...of }: OfCharge & { readonly txHash: Hex | null },
): Promise<RefundResult> {
  const { chainId, id } = await inTransaction(deps.sql, (db) => lockRefundOf(db, of))
  if (chainId !== null) await deps.check(chainId, id, txHash)
  return { outcome: 'done', refundId: id, isReplay: false }
}
