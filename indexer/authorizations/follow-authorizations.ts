import { BaseError } from 'viem'
import type { AuthorizationUse } from '../../shared/chain/authorization-use.ts'
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
import { doesEveryNodeShow } from './does-every-node-show.ts'
import { findUse, paymentOf } from './find-use.ts'
import { isWorthless } from './is-worthless.ts'

/** Looked at in one turn, each with a request for logs at least; the others come in the next. */
const BATCH = 25

/**
 * Brings the authorizations under way on a chain to where the chain has them, and answers those that are mined or over.
 *
 * Payouts ask the same nodes: about each it asks when our transaction for it has moved, and else once in `lookSeconds`.
 */
export async function followAuthorizations(context: FollowContext): Promise<'idle'> {
  const query = { chainId: context.client.chain.id, limit: BATCH, lookSeconds: context.lookSeconds }
  const underWay = await takeAuthorizationsUnderWay(context.sql, query)
  if (underWay.length === 0) return 'idle'
  const head = Number(await context.client.getBlockNumber({ cacheTime: 0 }))
  for (const authorization of underWay) {
    // What goes wrong with one, be it a bug of ours, keeps nobody else's waiting; it is looked at again in its turn.
    await follow(context, authorization, head).catch((error: unknown) => {
      if (isRetryable(error)) throw error
      const fields = { charge_id: authorization.chargeId, request_id: authorization.requestId }
      const level = error instanceof BaseError ? 'warn' : 'error'
      context.log[level]({ msg: 'Could not read what became of an authorization', ...fields, error })
    })
  }
  return 'idle'
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
 * 1. The token shows that its nonce was spent for this very payment, whoever sent it: mined, and at depth over. Of what is not
 *    ours, and of what is over, every node must show it: to the word of one we do not end what may be paid yet.
 * 2. It shows that the nonce was spent otherwise: once that is deep and every node says so, it can pay nothing any more.
 * 3. It shows nothing: what was mined is taken back by a reorganization, unless the node only answers late.
 * 4. It can never be carried out any more: reverted if ours cost gas, else lapsed.
 *    That ours has reverted decides nothing before: what was signed is public, and anybody may send it again.
 * 5. It is in flight, in the version of our transaction that counts now.
 */
async function findPlace(
  context: FollowContext,
  authorization: AuthorizationUnderWay,
  head: number,
): Promise<AuthorizationPlace> {
  const { status, txHash } = authorization
  const use = await findUse(context, authorization, head).catch(async (error: unknown) => {
    // What no node's logs tell, the states of all may.
    if (error instanceof BaseError && status === 'signed' && (await canNotBe(context, authorization)))
      return null
    throw error
  })
  const place = use === null ? null : await findPlaceOfUse(context, authorization, { use, head })
  if (place !== null) return place
  if (status !== 'signed')
    return (await hasReceipt(context, txHash)) ? { status, txHash } : inFlight(authorization)
  if (await canNotBe(context, authorization))
    return { status: hasReverted(authorization) ? 'reverted' : 'lapsed', txHash }
  return inFlight(authorization)
}

type SeenUse = { readonly use: AuthorizationUse; readonly head: number }

/** Answers where a use that one node shows puts an authorization; `null` if it is not to be believed yet. */
async function findPlaceOfUse(
  context: FollowContext,
  authorization: AuthorizationUnderWay,
  { use, head }: SeenUse,
): Promise<AuthorizationPlace | null> {
  if (use.isPayment) return findPlaceOfPayment(context, authorization, { use, head })
  const { status, txHash, transaction } = authorization
  const isDeep = depth({ head, block: use.blockNumber }) >= context.confirmations
  // Ours may still cost gas: what it came to is counted against its payer.
  const isResolved =
    !isOwn(context, authorization) || transaction?.isEmpty === true || hasReverted(authorization)
  if (status !== 'signed' || !isDeep || !isResolved) return inFlight(authorization)
  const isOver = await doesEveryNodeShow(
    context,
    authorization,
    (seen) => !seen.isPayment && seen.depth >= context.confirmations,
  )
  if (!isOver) return inFlight(authorization)
  return hasReverted(authorization)
    ? { status: 'reverted', txHash }
    : { status: 'canceled', txHash: use.txHash }
}

/** That ours is mined we believe one node: it is ours, and is sent again for as long as it is not deep. */
async function findPlaceOfPayment(
  context: FollowContext,
  authorization: AuthorizationUnderWay,
  { use, head }: SeenUse,
): Promise<AuthorizationPlace | null> {
  const { status, txHash, transaction } = authorization
  const { txHash: itsHash, blockNumber } = use
  const isOurs = transaction?.txHash === itsHash
  const isDeep = depth({ head, block: blockNumber }) >= context.confirmations
  const mined = { status: 'mined', txHash: itsHash } as const
  const over = { status: isOurs ? 'final' : 'taken', txHash: itsHash } as const
  const to = isDeep ? over : mined
  const isKnown = status === to.status && txHash === itsHash
  if (isKnown || (isOurs && !isDeep)) return to
  const least = isDeep ? context.confirmations : 0
  const isBelieved = await doesEveryNodeShow(
    context,
    authorization,
    (seen) => seen.isPayment && seen.txHash === itsHash && seen.depth >= least,
  )
  if (isBelieved) return to
  return isOurs && status === 'signed' ? mined : null
}

/** Its window is over and its nonce unused; nor does a node know of ours that a block has it. */
async function canNotBe(context: FollowContext, authorization: AuthorizationUnderWay): Promise<boolean> {
  const { transaction, validBefore } = authorization
  const isCarried =
    transaction !== null && !transaction.isEmpty && ['mined', 'final'].includes(transaction.status)
  // What another account of ours has sent, before its key was changed, nobody tracks.
  if (isCarried && (isOwn(context, authorization) || (await hasReceipt(context, transaction.txHash))))
    return false
  return isWorthless(context, { ...paymentOf(authorization), validBefore })
}

function isOwn({ account }: FollowContext, { transaction }: AuthorizationUnderWay): boolean {
  return account !== null && transaction?.relayer === account
}

function hasReverted({ transaction }: AuthorizationUnderWay): boolean {
  return transaction?.status === 'reverted' && !transaction.isEmpty
}

/** Somebody else's transaction that is not shown, or not by all, keeps nobody from trying ours. */
function inFlight(authorization: AuthorizationUnderWay): AuthorizationPlace {
  const { transaction } = authorization
  const isCarried = transaction !== null && !transaction.isEmpty
  return { status: 'signed', txHash: isCarried ? transaction.txHash : null }
}

async function hasReceipt({ client }: FollowContext, hash: Hex | null): Promise<boolean> {
  return hash !== null && (await findReceipt(client, hash))?.status === 'success'
}

/** `null` while nothing is known. */
function answerOf({ status, txHash }: AuthorizationPlace): AuthorizationAnswer | null {
  if (status === 'signed') return null
  const failure = authorizationFailure(status)
  if (failure !== null) return { outcome: 'refused', ...failure }
  return txHash === null ? null : { outcome: 'mined', txHash }
}
