import { type Db, isRetryable } from '../../shared/db/connect.ts'
import { lockPayer } from '../../shared/db/pay-by-signature/authorization-facts.ts'
import {
  consumeAuthorizationRequest,
  lockOpenAuthorizationRequests,
  type OpenAuthorizationRequest,
  rejectAuthorizationRequest,
  relockAuthorizationRequest,
} from '../../shared/db/pay-by-signature/authorization-requests.ts'
import {
  countBroadcastAuthorizations,
  insertAuthorization,
} from '../../shared/db/pay-by-signature/daemon/authorizations.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { atomic } from '../../shared/domain/money.ts'
import type { AuthorizationContext } from './authorization-context.ts'
import { executeAuthorization } from './execute-authorization.ts'
import { NotDueError } from './not-due-error.ts'
import { type AuthorizationQuote, quoteAuthorization } from './prepare-authorization-call.ts'
import { requireGoodRecord } from './require-good-record.ts'
import { describeUnread } from './unread-chain.ts'
import type { VerifiedAuthorization } from './verified-authorization.ts'
import { requireAmountDue, verifyAuthorization } from './verify-authorization.ts'

/** Maximum requests per turn. */
const BATCH = 20
/**
 * Number of requests processed in parallel. A request for which the nodes do not respond delays only the requests in
 * its own lane, by a few seconds.
 */
const LANES = 4

/**
 * Creates the worker that executes the authorizations signed by the payers of one chain's charges.
 *
 * **A turn commits the authorization before any node receives the signature.** The node's operator can execute the
 * signature, so the payer must not be asked for another one until this signature is used or its window is over. Our
 * nonce and signed bytes are committed together, before any broadcast.
 *
 * The worker may be killed at any point. A later turn retries the signatures that were sent to nodes, the relayer
 * rebroadcasts the committed bytes, and `trackAuthorizations` responds to the requests according to the chain. Only the
 * feed credits the charge.
 */
export function createAuthorizationWorker(context: AuthorizationContext) {
  return { turn: () => takeTurn(context) }
}

async function takeTurn(context: AuthorizationContext): Promise<'idle'> {
  const query = { chainId: context.chain.chainId, limit: BATCH, retrySeconds: context.retrySeconds }
  const waiting = [...(await lockOpenAuthorizationRequests(context.sql, query))]
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await take(context, next)
  }
  const lanes = await Promise.allSettled(Array.from({ length: LANES }, lane))
  for (const outcome of lanes) if (outcome.status === 'rejected') throw outcome.reason
  return 'idle'
}

async function take(context: AuthorizationContext, request: OpenAuthorizationRequest): Promise<void> {
  const prepared = await prepare(context, request)
  if (prepared !== null) await executeAuthorization(context, prepared.verified, prepared.quoted)
}

type Prepared = { readonly verified: VerifiedAuthorization; readonly quoted: AuthorizationQuote }

/**
 * Takes all steps that are possible before a node receives the signature, and records that a node is about to receive
 * it.
 *
 * @returns the verified request and its quote; `null` if the request was rejected or must wait, another worker
 * processes it, or a third party has executed the signature
 */
async function prepare(
  context: AuthorizationContext,
  request: OpenAuthorizationRequest,
): Promise<Prepared | null> {
  const { sql, retrySeconds } = context
  try {
    if (request.isExpired)
      throw new AppError(
        'service_unavailable',
        `no daemon could process the signature for ${request.chargeId}`,
      )
    if (request.isShown && !(await relockAuthorizationRequest(sql, { id: request.id, retrySeconds })))
      return null
    const verified = await verifyAuthorization(context, request)
    if ('txHash' in verified) {
      // A third party has executed the signature. `trackAuthorizations` responds to the request.
      if (!request.isShown) await inTransaction(sql, (db) => write(db, verified, verified.txHash))
      return null
    }
    const quoted = await quoteAuthorization(context, verified)
    if (!request.isShown) await show(context, verified)
    return { verified, quoted }
  } catch (error) {
    await refuse(context, request, error)
    return null
  }
}

/**
 * Records that a signature is about to be sent to a node. From then on the signature is in flight, no other signature
 * is requested for the charge, and the request cannot be canceled.
 *
 * A payer can block a charge only if they could pay it: they have the full amount and no other authorization in flight,
 * and they have signed with their key or are a contract. Only the simulation shows whether a contract accepts the
 * signature, so until then no response may reveal facts about a payer that is a contract.
 *
 * @throws {AppError} if the authorization may no longer be executed
 * @throws {NotDueError} if another worker has claimed the request, or the request was canceled or is too old
 */
async function show(context: AuthorizationContext, verified: VerifiedAuthorization): Promise<void> {
  await inTransaction(context.sql, async (db) => {
    await lockPayer(db, verified.asked.signed.from)
    await requireAmountDue(db, verified, context)
    await requireRoom(db, verified)
    await requireGoodRecord(db, verified)
    await write(db, verified, null)
  })
}

/**
 * Approximate maximum of signatures per organization and chain that were sent to nodes but have no transaction yet.
 * Each signature is retried until its window ends. The limit for contracts is lower, so that contracts cannot crowd out
 * keys: a contract's code may accept a signature and still take too much gas to be executed.
 */
const MAX_SHOWN = { ofKeys: 100, ofContracts: 20 }

/** @throws {AppError} if the maximum number of signatures is already waiting */
async function requireRoom(
  db: Db,
  { organizationId, asked, isSignedByKey }: VerifiedAuthorization,
): Promise<void> {
  const shown = await countBroadcastAuthorizations(db, { organizationId, chainId: asked.chainId })
  if (shown < (isSignedByKey ? MAX_SHOWN.ofKeys : MAX_SHOWN.ofContracts)) return
  throw new AppError('signature_payment_unavailable', `${shown} other signatures wait for a transaction`)
}

/**
 * Accepts the signature: marks the request as consumed and inserts its authorization. After an error, the caller must
 * roll back its transaction.
 */
async function write(
  db: Db,
  { request, organizationId, asked, digest, fromBlock, isSignedByKey }: VerifiedAuthorization,
  txHash: Hex | null,
): Promise<void> {
  const { chainId, token, signed } = asked
  if (!(await consumeAuthorizationRequest(db, request.id)))
    throw new NotDueError('the request was claimed or canceled, or is too old')
  const isFirst = await insertAuthorization(db, {
    ...{ requestId: request.id, organizationId, chargeId: request.chargeId, chainId, tokenAddress: token },
    ...{ payer: signed.from, nonce: signed.nonce, digest, valueAtomic: atomic(signed.value) },
    ...{ validBefore: signed.validBefore, fromBlock, txHash, isSignedByKey },
  })
  if (!isFirst)
    throw new AppError('payment_in_progress', `another signature for ${request.chargeId} was submitted first`)
}

/**
 * Responds to the request with its error. If the chain could not be read, or this code has a bug, the request stays
 * open until it expires after a minute. If any daemon has sent the signature to a node, the authorization stays in
 * flight after any error.
 *
 * @throws a retryable error of the database
 */
async function refuse(
  { sql, log, metrics }: AuthorizationContext,
  request: OpenAuthorizationRequest,
  error: unknown,
): Promise<void> {
  const { id, chargeId } = request
  const fields = { request_id: id, charge_id: chargeId }
  if (error instanceof NotDueError) return
  if (isRetryable(error)) throw error
  const unread = describeUnread(error)
  if (unread !== null) {
    log.warn({ msg: 'Could not read the chain for an authorization', ...fields, ...unread })
  } else if (error instanceof AppError) {
    const { code, message, param } = error
    const answer = { outcome: 'refused', code, message, ...(param && { param }) } as const
    if (!(await rejectAuthorizationRequest(sql, id, answer)))
      return log.info({ msg: 'Authorization is in flight', ...fields, reason: message })
    metrics.countAuthorization('refused')
    log.warn({ msg: 'Rejected an authorization', ...fields, code, reason: message })
  } else {
    log.error({ msg: 'An authorization failed', ...fields, error })
  }
}
