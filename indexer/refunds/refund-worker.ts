import { BaseError } from 'viem'
import { isRetryable } from '../../shared/db/connect.ts'
import { listDueRefunds } from '../../shared/db/refunds/daemon/watched-refunds.ts'
import type { RefundPayload, RefundResult } from '../../shared/db/refunds/refund-requests.ts'
import {
  type ClaimedRequest,
  claimChargeRequests,
  INVALID_REQUEST_ERROR,
  type RequestError,
  respondToRequest,
} from '../../shared/db/requests/charge-requests.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { parsePayload } from '../requests/parse-payload.ts'
import { applyRefundNews } from './apply-refund-news.ts'
import { claimDestination } from './claim-destination.ts'
import { approveDestination, rejectDestination, renewClaimLink } from './decide-claim.ts'
import { type DeclareDeps, declareRefund } from './declare-refund.ts'
import { lockRefundOf, type OfCharge } from './lock-refund-of.ts'
import { type RefundRecorder, recordDeadline } from './record-transfer.ts'
import { simulateRefund } from './simulate-refund.ts'
import { withinTime } from './within-time.ts'

/** Dependencies of the worker. */
export type RefundWorkerDeps = RefundRecorder &
  DeclareDeps & {
    /** Looks for the transfer of a refund on its chain. */
    readonly check: (chainId: number, refundId: string, txHash: Hex | null) => Promise<void>
  }

/** Requests processed at the same time. */
const AT_ONCE = 20
/** A request that was started longer ago than this has lost its daemon. */
const LEASE_SECONDS = 30
/** Refunds expired per turn. */
const EXPIRED_PER_TURN = 100

/**
 * Processes the requests of merchants about refunds, and expires refunds. The worker may be killed at any point: a
 * declaration is found again by its key, and the other requests may run twice.
 */
export async function processRefundRequests(deps: RefundWorkerDeps): Promise<'more' | 'idle'> {
  const query = { kind: 'refund', limit: AT_ONCE, leaseSeconds: LEASE_SECONDS } as const
  const claimed = await claimChargeRequests(deps.sql, query)
  await Promise.all(claimed.map((request) => respond(deps, request)))
  const due = await listDueRefunds(deps.sql, EXPIRED_PER_TURN)
  for (const refund of due) await expire(deps, refund)
  return claimed.length === AT_ONCE ? 'more' : 'idle'
}

/** Expires a refund. A failure is logged, so that it does not block the refunds behind it. */
async function expire(deps: RefundWorkerDeps, refund: Parameters<typeof recordDeadline>[1]): Promise<void> {
  await recordDeadline(deps, refund).catch((error: unknown) => {
    deps.log.error({ msg: 'Could not expire a refund', refund_id: refund.id, error })
  })
}

/** Responds to a request. Never throws: a request without a response is claimed again when its lease ends. */
async function respond(deps: RefundWorkerDeps, request: ClaimedRequest): Promise<void> {
  const fields = { request_id: request.id, api_request_id: request.apiRequestId, charge_id: request.chargeId }
  try {
    await respondToRequest(deps.sql, request.id, await fulfil(deps, request))
  } catch (error) {
    if (isRetryable(error))
      return deps.log.warn({ msg: 'Could not process a refund request', ...fields, error })
    deps.log.error({ msg: 'A refund request failed', ...fields, error })
    const refusal: RequestError = {
      outcome: 'refused',
      code: 'internal_error',
      message: 'the request failed',
    }
    await respondToRequest(deps.sql, request.id, refusal).catch((cause: unknown) => {
      deps.log.warn({ msg: 'Could not process a refund request', ...fields, error: cause })
    })
  }
}

async function fulfil(deps: RefundWorkerDeps, request: ClaimedRequest): Promise<RefundResult | RequestError> {
  const payload = parsePayload('refund', request.payload)
  if (payload === null || !request.isOfOrganization) {
    deps.log.error({ msg: 'Rejected an invalid refund request', charge_id: request.chargeId })
    return INVALID_REQUEST_ERROR
  }
  try {
    return await carryOut({ ...deps, apiRequestId: request.apiRequestId }, request.chargeId, payload)
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal === null) throw error
    return refusal
  }
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

/** @throws {AppError} `refund_already_seen`, because the money is on its way or has arrived; `refund_not_found` */
async function cancelRefund(deps: RefundWorkerDeps, of: OfCharge): Promise<RefundResult> {
  const { id } = of
  await inTransaction(deps.sql, async (db) => {
    const { status } = await lockRefundOf(db, of)
    if (status === 'seen' || status === 'confirmed')
      throw new AppError('refund_already_seen', `the transfer of ${id} is on its chain`)
    await applyRefundNews(deps, db, { id, report: { type: 'cancel.ordered' }, now: deps.now() })
  })
  return { outcome: 'done', refundId: id, isReplay: false }
}

async function checkRefund(
  deps: RefundWorkerDeps,
  { txHash, ...of }: OfCharge & { readonly txHash: Hex | null },
): Promise<RefundResult> {
  const { chainId, id } = await inTransaction(deps.sql, (db) => lockRefundOf(db, of))
  if (chainId !== null) await withinTime(deps.check(chainId, id, txHash))
  return { outcome: 'done', refundId: id, isReplay: false }
}

/**
 * Returns the rejection for an error, without the node's own text: it may contain the URL, and the URL may contain a
 * key. Returns `null` for an error that is neither a decision nor about reading a chain.
 */
function refusalOf(error: unknown): RequestError | null {
  if (error instanceof AppError) {
    const { code, message, param } = error
    return { outcome: 'refused', code, message, ...(param !== undefined && { param }) }
  }
  const message = 'the network of the refund cannot be read at the moment; try again'
  return error instanceof BaseError ? { outcome: 'refused', code: 'rpc_unavailable', message } : null
}
