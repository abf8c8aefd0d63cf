import { BaseError } from 'viem'
import {
  type AuthorizationAnswer,
  consumeAuthorizationRequest,
  listOpenAuthorizationRequests,
  type OpenAuthorizationRequest,
} from '../../shared/db/authorizations/authorization-requests.ts'
import { insertAuthorization } from '../../shared/db/authorizations/daemon/authorizations.ts'
import { type Db, isRetryable } from '../../shared/db/connect.ts'
import type { RelayerTransactionRow } from '../../shared/db/relayer/daemon/relayer-transactions.ts'
import { answerRequest } from '../../shared/db/requests/charge-requests.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { atomic } from '../../shared/domain/money.ts'
import type { AuthorizationContext } from './authorization-context.ts'
import { type PreparedCall, prepareAuthorizationCall } from './prepare-authorization-call.ts'
import { requireAskedFor, type VerifiedAuthorization, verifyAuthorization } from './verify-authorization.ts'

/** Requests looked at in one turn. */
const BATCH = 20

/**
 * Makes the worker that carries out what the payers of one chain's charges have signed.
 *
 * A turn looks into each open request, and commits order, nonce and signed bytes together before anything is broadcast. It
 * may be killed anywhere: the relayer sends the committed bytes again, `followAuthorizations` answers by what the chain
 * shows, and the credit comes by the feed alone.
 */
export function createAuthorizationWorker(context: AuthorizationContext): {
  readonly turn: () => Promise<'idle'>
} {
  return { turn: () => takeTurn(context) }
}

async function takeTurn(context: AuthorizationContext): Promise<'idle'> {
  const query = { chainId: context.client.chain.id, limit: BATCH }
  for (const request of await listOpenAuthorizationRequests(context.sql, query)) await take(context, request)
  return 'idle'
}

async function take(context: AuthorizationContext, request: OpenAuthorizationRequest): Promise<void> {
  try {
    if (request.isExpired)
      throw new AppError('service_unavailable', `nobody could see to the signature for ${request.chargeId}`)
    const verified = await verifyAuthorization(context, request)
    if ('txHash' in verified) {
      await inTransaction(context.sql, (db) =>
        write(db, verified, { carrier: null, txHash: verified.txHash }),
      )
      return
    }
    const transaction = await sign(context, verified, await prepareAuthorizationCall(context, verified.asked))
    await context.relayer.broadcast(transaction)
  } catch (error) {
    await refuse(context, request, error)
  }
}

/**
 * Signs ours, in one transaction with the order for it and under the lock that everybody who signs for this account takes:
 * what is asked is read again there, so that of two daemons, two payers or two requests one is first.
 *
 * @throws {AppError} why it is not carried out any more
 */
async function sign(
  { sql, relayer, clock, log, metrics }: AuthorizationContext,
  verified: VerifiedAuthorization,
  { call, quote }: PreparedCall,
): Promise<RelayerTransactionRow> {
  const { request } = verified
  const transaction = await inTransaction(sql, async (db) => {
    const sent = await relayer.sign(db, call, quote)
    if (sent === null)
      throw new AppError('signature_payment_unavailable', 'too many payments by signature wait for a block')
    await requireAskedFor(db, verified, clock())
    const { relayer: address, nonce, txHash } = sent
    await write(db, verified, { carrier: { relayer: address, nonce }, txHash })
    return sent
  })
  metrics.countAuthorization('signed')
  const ids = { request_id: request.id, api_request_id: request.apiRequestId, charge_id: request.chargeId }
  const { txHash, nonce } = transaction
  log.info({ msg: 'Signed an authorization', ...ids, tx_hash: txHash, nonce })
  return transaction
}

type Carried = {
  readonly carrier: { readonly relayer: RelayerTransactionRow['relayer']; readonly nonce: number } | null
  readonly txHash: Hex
}

/** Takes the request and writes its authorization down; both or neither. */
async function write(
  db: Db,
  { request, organizationId, asked, digest, fromBlock }: VerifiedAuthorization,
  { carrier, txHash }: Carried,
): Promise<void> {
  const { chainId, token, signed } = asked
  if (!(await consumeAuthorizationRequest(db, request.id))) throw new OvertakenError()
  const isFirst = await insertAuthorization(db, {
    ...{ requestId: request.id, organizationId, chargeId: request.chargeId, chainId, tokenAddress: token },
    ...{ payer: signed.from, nonce: signed.nonce, digest, valueAtomic: atomic(signed.value) },
    ...{ validBefore: signed.validBefore, fromBlock, carrier, txHash },
  })
  if (!isFirst)
    throw new AppError('payment_in_progress', `another signature for ${request.chargeId} was first`)
}

/** Another daemon was faster, or the request was withdrawn: what was signed is rolled back. */
class OvertakenError extends Error {}

/**
 * What is wrong with the request is its answer, and nothing was sent; a node that does not answer leaves it open, and so
 * does a bug of ours, until its minute is over.
 */
async function refuse(
  { sql, log, metrics }: AuthorizationContext,
  request: OpenAuthorizationRequest,
  error: unknown,
): Promise<void> {
  const { id, chargeId } = request
  const fields = { request_id: id, charge_id: chargeId }
  if (error instanceof OvertakenError) return
  if (isRetryable(error)) throw error
  if (error instanceof BaseError) {
    log.warn({ msg: 'Could not read the chain for an authorization', ...fields, error })
  } else if (error instanceof AppError) {
    const { code, message, param } = error
    const answer: AuthorizationAnswer = { outcome: 'refused', code, message, ...(param && { param }) }
    await answerRequest(sql, id, answer)
    metrics.countAuthorization('refused')
    log.warn({ msg: 'Refused an authorization', ...fields, code, reason: message })
  } else {
    log.error({ msg: 'An authorization failed', ...fields, error })
  }
}
