import type { AuthorizationUse } from '../../shared/chain/eip3009/authorization-use.ts'
import { queryHead } from '../../shared/chain/nodes/query-head.ts'
import { queryQuorum } from '../../shared/chain/nodes/query-nodes.ts'
import { requireAgreed } from '../../shared/chain/nodes/quorum.ts'
import { findReceipt } from '../../shared/chain/nodes/receipts.ts'
import { isRetryable } from '../../shared/db/connect.ts'
import type { AuthorizationResult } from '../../shared/db/pay-by-signature/authorization-requests.ts'
import {
  type AuthorizationPosition,
  type InFlightAuthorization,
  lockInFlightAuthorizations,
  transitionAuthorization,
} from '../../shared/db/pay-by-signature/daemon/authorizations.ts'
import { respondToRequest } from '../../shared/db/requests/charge-requests.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { authorizationFailure } from '../../shared/domain/eip3009/authorization-status.ts'
import { getDepth } from '../../shared/domain/transfer.ts'
import type { TrackingContext } from './authorization-context.ts'
import { queryUse, toAuthorizedPayment } from './find-nonce-use.ts'
import { isExpiredUnused } from './is-expired-unused.ts'
import { describeUnread } from './unread-chain.ts'

/** Maximum authorizations per turn. Each needs at least one request for logs. */
const BATCH = 25

/**
 * Updates the authorizations in flight on a chain to match the chain, and responds to the requests of authorizations
 * that are mined or have ended.
 *
 * An authorization is read when our transaction for it has changed, and otherwise only every `lookSeconds`, because
 * payouts use the same nodes.
 *
 * @throws {AppError} `rpc_unavailable` if no quorum shows a head
 */
export async function trackAuthorizations(context: TrackingContext): Promise<'idle'> {
  const query = { chainId: context.chain.chainId, limit: BATCH, lookSeconds: context.lookSeconds }
  const underWay = await lockInFlightAuthorizations(context.sql, query)
  if (underWay.length === 0) return 'idle'
  const { value: head } = await queryHead(context.chain)
  for (const authorization of underWay) {
    // An error with one authorization, even a bug in this code, must not delay the others. A later turn reads it again.
    await follow(context, authorization, head.number).catch((error: unknown) => {
      if (isRetryable(error)) throw error
      logUnread(context, authorization, error)
    })
  }
  return 'idle'
}

function logUnread({ log }: TrackingContext, { chargeId, requestId }: InFlightAuthorization, error: unknown) {
  const level = describeUnread(error) === null ? 'error' : 'warn'
  const fields = { charge_id: chargeId, request_id: requestId, error }
  log[level]({ msg: 'Could not read the status of an authorization', ...fields })
}

async function follow(
  context: TrackingContext,
  authorization: InFlightAuthorization,
  head: number,
): Promise<void> {
  const { id, requestId, chargeId, status, txHash } = authorization
  const to = await findPlace(context, authorization, head)
  if (to.status === status && to.txHash === txHash) return
  const isMoved = await inTransaction(context.sql, async (db) => {
    if (!(await transitionAuthorization(db, { id, from: { status, txHash }, to }))) return false
    const answer = answerOf(to)
    if (answer !== null) await respondToRequest(db, requestId, answer)
    return true
  })
  if (!isMoved || to.status === status) return
  context.metrics.countAuthorization(to.status)
  const fields = {
    charge_id: chargeId,
    request_id: requestId,
    from: status,
    to: to.status,
    tx_hash: to.txHash,
  }
  context.log.info({ msg: 'Authorization changed status', ...fields })
}

/**
 * Returns the current status and transaction of an authorization. The cases:
 *
 * 1. A quorum shows that the nonce was used for this exact payment, by any sender: `mined`, and at confirmation depth
 *    `final` or `executed_externally`.
 * 2. A quorum shows that the nonce was used in another way. Once that use is at confirmation depth and our own
 *    transaction is resolved: `reverted` if our transaction reverted, otherwise `canceled`.
 * 3. A quorum no longer shows a payment that was mined, because a reorganization dropped it: `signed` again.
 * 4. The authorization can no longer be executed: `reverted` if our transaction reverted, otherwise `expired`. Before
 *    that, a revert of our transaction does not end the authorization, because the signature is public and anyone may
 *    submit it again.
 * 5. Otherwise the authorization is in flight, with the hash of the current version of our transaction.
 *
 * @throws {AppError} `rpc_unavailable` if no quorum agrees whether and how the nonce was used, except in case 4; or if
 * case 4 must be checked and no quorum shows the block at confirmation depth. The status then does not change.
 */
async function findPlace(
  context: TrackingContext,
  authorization: InFlightAuthorization,
  head: number,
): Promise<AuthorizationPosition> {
  const { status, txHash } = authorization
  const verdict = await queryUse(context, authorization, head)
  const use = verdict.outcome === 'agreed' ? verdict.agreed.value : null
  if (use !== null) {
    const isDeep = getDepth({ head, block: use.blockNumber }) >= context.confirmations
    return findPlaceOfUse(context, authorization, { use, isDeep })
  }
  if (status === 'signed' && (await canNotBe(context, authorization)))
    return { status: hasReverted(authorization) ? 'reverted' : 'expired', txHash }
  // While no quorum agrees, the status stays.
  requireAgreed(verdict, 'the use of an authorization')
  return inFlight(authorization)
}

type AgreedUse = { readonly use: AuthorizationUse; readonly isDeep: boolean }

function findPlaceOfUse(
  context: TrackingContext,
  authorization: InFlightAuthorization,
  { use, isDeep }: AgreedUse,
): AuthorizationPosition {
  const { status, txHash, transaction } = authorization
  if (use.isPayment) {
    const over = transaction?.txHash === use.txHash ? 'final' : 'executed_externally'
    return { status: isDeep ? over : 'mined', txHash: use.txHash }
  }
  // Wait for the result of our own transaction, because a revert costs gas and counts against the payer.
  const isResolved =
    !isOwn(context, authorization) || transaction?.isCancellation === true || hasReverted(authorization)
  if (status !== 'signed' || !isDeep || !isResolved) return inFlight(authorization)
  return hasReverted(authorization)
    ? { status: 'reverted', txHash }
    : { status: 'canceled', txHash: use.txHash }
}

/** Returns whether our transaction has not executed the authorization, and it expired unused (`isExpiredUnused`). */
async function canNotBe(context: TrackingContext, authorization: InFlightAuthorization): Promise<boolean> {
  const { transaction, validBefore } = authorization
  const isCarried =
    transaction !== null && !transaction.isCancellation && ['mined', 'final'].includes(transaction.status)
  // The relayer no longer tracks transactions of an account that we used before the key was changed.
  if (isCarried && (isOwn(context, authorization) || !(await hasNoReceipt(context, transaction.txHash))))
    return false
  return isExpiredUnused(context, { ...toAuthorizedPayment(authorization), validBefore })
}

function isOwn({ account }: TrackingContext, { transaction }: InFlightAuthorization): boolean {
  return account !== null && transaction?.relayer === account
}

function hasReverted({ transaction }: InFlightAuthorization): boolean {
  return transaction?.status === 'reverted' && !transaction.isCancellation
}

/**
 * Returns the status `signed`, with the hash of our own transaction; without a hash if it does not exist or is a
 * cancellation. The hash of a third party's transaction that no longer counts is dropped, so that we can sign our own.
 */
function inFlight(authorization: InFlightAuthorization): AuthorizationPosition {
  const { transaction } = authorization
  const isCarried = transaction !== null && !transaction.isCancellation
  return { status: 'signed', txHash: isCarried ? transaction.txHash : null }
}

/** Returns whether a quorum reports that no block contains the transaction, or that it reverted. */
async function hasNoReceipt({ chain }: TrackingContext, hash: Hex): Promise<boolean> {
  const verdict = await queryQuorum(chain, {
    read: async ({ client }) => (await findReceipt(client, hash))?.status === 'success',
    toText: String,
  })
  return verdict.outcome === 'agreed' && !verdict.agreed.value
}

/** Returns the response to the request; `null` while the result is unknown. */
function answerOf({ status, txHash }: AuthorizationPosition): AuthorizationResult | null {
  if (status === 'signed') return null
  const failure = authorizationFailure(status)
  if (failure !== null) return { outcome: 'refused', ...failure }
  return txHash === null ? null : { outcome: 'mined', txHash }
}
