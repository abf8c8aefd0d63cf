import type { AuthorizationUse } from '../../shared/chain/authorization-use.ts'
import { queryHead } from '../../shared/chain/nodes/query-head.ts'
import { queryQuorum } from '../../shared/chain/nodes/query-nodes.ts'
import { requireAgreed } from '../../shared/chain/nodes/quorum.ts'
import { findReceipt } from '../../shared/chain/receipts.ts'
import type { AuthorizationAnswer } from '../../shared/db/authorizations/authorization-requests.ts'
import {
  type AuthorizationPlace,
  type AuthorizationUnderWay,
  moveAuthorization,
  takeAuthorizationsUnderWay,
} from '../../shared/db/authorizations/daemon/authorizations.ts'
import { isRetryable } from '../../shared/db/connect.ts'
import { answerRequest } from '../../shared/db/requests/charge-requests.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { authorizationFailure } from '../../shared/domain/authorization-status.ts'
import { depth } from '../../shared/domain/transfer.ts'
import type { FollowContext } from './authorization-context.ts'
import { paymentOf, queryUse } from './find-use.ts'
import { isWorthless } from './is-worthless.ts'
import { describeUnread } from './unread-chain.ts'

/** Maximum authorizations per turn, each with at least one request for logs. The others follow in the next turn. */
const BATCH = 25

/**
 * Updates the authorizations in flight on a chain to match the chain, and responds to the requests of those that are
 * mined or over.
 *
 * Payouts use the same nodes. So each authorization is read when our transaction for it has changed, and otherwise once
 * in `lookSeconds`.
 *
 * @throws {AppError} `rpc_unavailable` if no quorum shows a head
 */
export async function followAuthorizations(context: FollowContext): Promise<'idle'> {
  const query = { chainId: context.chain.chainId, limit: BATCH, lookSeconds: context.lookSeconds }
  const underWay = await takeAuthorizationsUnderWay(context.sql, query)
  if (underWay.length === 0) return 'idle'
  const { value: head } = await queryHead(context.chain)
  for (const authorization of underWay) {
    // An error in one authorization, even a bug in this code, must not delay the others. It is retried in its turn.
    await follow(context, authorization, head.number).catch((error: unknown) => {
      if (isRetryable(error)) throw error
      logUnread(context, authorization, error)
    })
  }
  return 'idle'
}

function logUnread({ log }: FollowContext, { chargeId, requestId }: AuthorizationUnderWay, error: unknown) {
  const level = describeUnread(error) === null ? 'error' : 'warn'
  const fields = { charge_id: chargeId, request_id: requestId, error }
  log[level]({ msg: 'Could not read what became of an authorization', ...fields })
}

async function follow(
  context: FollowContext,
  authorization: AuthorizationUnderWay,
  head: number,
): Promise<void> {
  const { id, requestId, chargeId, status, txHash } = authorization
  const to = await findPlace(context, authorization, head)
  if (to.status === status && to.txHash === txHash) return
  const isMoved = await inTransaction(context.sql, async (db) => {
    if (!(await moveAuthorization(db, { id, from: { status, txHash }, to }))) return false
    const answer = answerOf(to)
    if (answer !== null) await answerRequest(db, requestId, answer)
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
  context.log.info({ msg: 'Moved an authorization', ...fields })
}

/**
 * The cases, in order:
 * 1. A quorum shows that the nonce was spent for this exact payment, by any sender: mined, and over at depth.
 * 2. A quorum shows that the nonce was spent otherwise. Once that is at depth, the authorization can no longer pay.
 * 3. A quorum no longer shows a payment that was mined: a reorganization dropped it. While the nodes contradict each
 *    other, or too few respond, the status stays.
 * 4. The authorization can no longer be executed: reverted if our transaction cost gas, otherwise lapsed. A revert
 *    of our transaction decides nothing earlier, because the signature is public and anyone may submit it again.
 * 5. It is in flight, in the current version of our transaction.
 *
 * @throws {AppError} `rpc_unavailable` if no quorum reports the use of the authorization
 */
async function findPlace(
  context: FollowContext,
  authorization: AuthorizationUnderWay,
  head: number,
): Promise<AuthorizationPlace> {
  const { status, txHash } = authorization
  const verdict = await queryUse(context, authorization, head)
  const use = verdict.outcome === 'agreed' ? verdict.agreed.value : null
  if (use !== null) {
    const isDeep = depth({ head, block: use.blockNumber }) >= context.confirmations
    return findPlaceOfUse(context, authorization, { use, isDeep })
  }
  if (status === 'signed' && (await canNotBe(context, authorization)))
    return { status: hasReverted(authorization) ? 'reverted' : 'lapsed', txHash }
  // While no quorum agrees, the status stays.
  requireAgreed(verdict, 'the use of an authorization')
  return inFlight(authorization)
}

type AgreedUse = { readonly use: AuthorizationUse; readonly isDeep: boolean }

/** Returns the status of an authorization whose use a quorum shows. */
function findPlaceOfUse(
  context: FollowContext,
  authorization: AuthorizationUnderWay,
  { use, isDeep }: AgreedUse,
): AuthorizationPlace {
  const { status, txHash, transaction } = authorization
  if (use.isPayment) {
    const over = transaction?.txHash === use.txHash ? 'final' : 'taken'
    return { status: isDeep ? over : 'mined', txHash: use.txHash }
  }
  // Our transaction may still cost gas, and its result counts against its payer.
  const isResolved =
    !isOwn(context, authorization) || transaction?.isEmpty === true || hasReverted(authorization)
  if (status !== 'signed' || !isDeep || !isResolved) return inFlight(authorization)
  return hasReverted(authorization)
    ? { status: 'reverted', txHash }
    : { status: 'canceled', txHash: use.txHash }
}

/** Whether the window is over, the nonce is unused, and no block has our transaction for it. */
async function canNotBe(context: FollowContext, authorization: AuthorizationUnderWay): Promise<boolean> {
  const { transaction, validBefore } = authorization
  const isCarried =
    transaction !== null && !transaction.isEmpty && ['mined', 'final'].includes(transaction.status)
  // Transactions of our previous account, from before its key was changed, are no longer tracked.
  if (isCarried && (isOwn(context, authorization) || !(await hasNoReceipt(context, transaction.txHash))))
    return false
  return isWorthless(context, { ...paymentOf(authorization), validBefore })
}

function isOwn({ account }: FollowContext, { transaction }: AuthorizationUnderWay): boolean {
  return account !== null && transaction?.relayer === account
}

function hasReverted({ transaction }: AuthorizationUnderWay): boolean {
  return transaction?.status === 'reverted' && !transaction.isEmpty
}

/** Returns the status in flight. A third party's transaction that no quorum shows does not block our transaction. */
function inFlight(authorization: AuthorizationUnderWay): AuthorizationPlace {
  const { transaction } = authorization
  const isCarried = transaction !== null && !transaction.isEmpty
  return { status: 'signed', txHash: isCarried ? transaction.txHash : null }
}

/** Whether a quorum reports that no block has the transaction, or that it reverted. */
async function hasNoReceipt({ chain }: FollowContext, hash: Hex): Promise<boolean> {
  const verdict = await queryQuorum(chain, {
    read: async ({ client }) => (await findReceipt(client, hash))?.status === 'success',
    toText: String,
  })
  return verdict.outcome === 'agreed' && !verdict.agreed.value
}

/** Returns the response to the request; `null` while the result is unknown. */
function answerOf({ status, txHash }: AuthorizationPlace): AuthorizationAnswer | null {
  if (status === 'signed') return null
  const failure = authorizationFailure(status)
  if (failure !== null) return { outcome: 'refused', ...failure }
  return txHash === null ? null : { outcome: 'mined', txHash }
}
