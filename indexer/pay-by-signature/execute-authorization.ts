import { isRetryable } from '../../shared/db/connect.ts'
import type { AuthorizationResult } from '../../shared/db/pay-by-signature/authorization-requests.ts'
import {
  deleteAuthorization,
  linkAuthorizationTransaction,
} from '../../shared/db/pay-by-signature/daemon/authorizations.ts'
import type { RelayerTransactionRow } from '../../shared/db/relayer/daemon/relayer-transactions.ts'
import { respondToRequest } from '../../shared/db/requests/charge-requests.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import { createAuthorizationError } from '../../shared/domain/eip3009/require-authorizable.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { RelayerCall } from '../relayer/relayer-context.ts'
import type { AuthorizationContext } from './authorization-context.ts'
import { isRejectedByPayer } from './is-rejected-by-payer.ts'
import { NotDueError } from './not-due-error.ts'
import { type AuthorizationQuote, simulateAuthorization } from './prepare-authorization-call.ts'
import { requireGoodRecord } from './require-good-record.ts'
import { describeUnread } from './unread-chain.ts'
import type { VerifiedAuthorization } from './verified-authorization.ts'
import { requireAmountDue } from './verify-authorization.ts'

/**
 * Sends a signature to the nodes to simulate the call, then signs and broadcasts our transaction. The caller must have
 * committed the authorization.
 *
 * **After any failure from here on, the authorization stays in flight**, because a node's operator has the signature
 * and can execute it until its window ends. If another signature were requested earlier, the payer could pay twice. An
 * error here is therefore not returned as the response to the request. A later turn retries, and only
 * `trackAuthorizations` ends the authorization, according to the chain.
 *
 * There is one exception: if a quorum reports that the payer is a contract that rejects the signature, the
 * authorization is deleted. Anyone can invent such a signature for any contract, and it would block the charge for all
 * other payers until its window ends. The exception does not apply to a signature of the payer's own key. The account
 * may have code that rejects it (EIP-7702), but that code can be gone in the next block.
 */
export async function executeAuthorization(
  context: AuthorizationContext,
  verified: VerifiedAuthorization,
  quoted: AuthorizationQuote,
): Promise<void> {
  try {
    const simulated = await simulateAuthorization(context, verified.asked, quoted)
    if (simulated.type === 'good') {
      const transaction = await sign(context, verified, { call: simulated.call, quote: quoted.quote })
      await context.relayer.broadcast(transaction)
    } else if (!verified.isSignedByKey && (await isRejectedByPayer(context, verified.asked))) {
      await forget(context, verified, createAuthorizationError('signature', simulated.why))
    } else {
      throw new NotDueError(`signature ${simulated.why}`)
    }
  } catch (error) {
    keep(context, verified, error)
  }
}

/**
 * Signs our transaction, in the database transaction that links it to the authorization, and under the lock that every
 * signer for this account takes. Under this lock, the charge is checked again, so that only one of several daemons,
 * payers or requests succeeds.
 *
 * @throws {AppError} if the authorization may no longer be executed
 * @throws {NotDueError} if another worker was faster, or too many transactions wait for a block
 */
async function sign(
  context: AuthorizationContext,
  verified: VerifiedAuthorization,
  { call, quote }: { readonly call: RelayerCall; readonly quote: AuthorizationQuote['quote'] },
): Promise<RelayerTransactionRow> {
  const { sql, relayer, log, metrics } = context
  const { request } = verified
  const transaction = await inTransaction(sql, async (db) => {
    const sent = await relayer.sign(db, call, quote)
    if (sent === null) throw new NotDueError('too many transactions wait for a block')
    await requireAmountDue(db, verified, context)
    await requireGoodRecord(db, verified)
    const { relayer: address, nonce, txHash } = sent
    const carrier = { relayer: address, nonce, gasLimit: call.gas }
    const carried = { requestId: request.id, carrier, txHash }
    if (!(await linkAuthorizationTransaction(db, carried))) throw new NotDueError('another sender was faster')
    return sent
  })
  metrics.countAuthorization('signed')
  const ids = { request_id: request.id, api_request_id: request.apiRequestId, charge_id: request.chargeId }
  const { txHash, nonce } = transaction
  log.info({ msg: 'Signed an authorization', ...ids, tx_hash: txHash, nonce })
  return transaction
}

/**
 * Deletes the authorization and responds to its request. Does neither if a transaction was signed for the
 * authorization, or executed it, in the meantime.
 */
async function forget(
  { sql, log, metrics }: AuthorizationContext,
  { request }: VerifiedAuthorization,
  { code, message, param }: AppError,
): Promise<void> {
  const answer: AuthorizationResult = { outcome: 'refused', code, message, ...(param && { param }) }
  const isForgotten = await inTransaction(sql, async (db) => {
    if (!(await deleteAuthorization(db, request.id))) return false
    await respondToRequest(db, request.id, answer)
    return true
  })
  if (!isForgotten) return
  metrics.countAuthorization('refused')
  const fields = { request_id: request.id, charge_id: request.chargeId }
  log.warn({ msg: 'Rejected an authorization', ...fields, code, reason: message })
}

/** Logs why the authorization stays in flight. Rethrows a retryable error of the database. */
function keep({ log }: AuthorizationContext, { request }: VerifiedAuthorization, error: unknown): void {
  if (isRetryable(error)) throw error
  const fields = { request_id: request.id, charge_id: request.chargeId }
  const unread = describeUnread(error)
  if (unread !== null) {
    log.warn({ msg: 'Could not read the chain for an authorization', ...fields, ...unread })
  } else if (error instanceof AppError || error instanceof NotDueError) {
    log.info({ msg: 'Authorization is in flight', ...fields, reason: error.message })
  } else {
    log.error({ msg: 'An authorization failed', ...fields, error })
  }
}
