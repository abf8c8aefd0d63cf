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
import {
  requireAskedFor,
  requireGoodRecord,
  type VerifiedAuthorization,
  verifyAuthorization,
} from './verify-authorization.ts'

/** Requests looked at in one turn. */
const BATCH = 20
/** So many at once: one of which a node tells nothing keeps its lane waiting for some seconds, and no other. */
const LANES = 4

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
  let left: ReadonlySet<string> = new Set()
  return {
    turn: async () => {
      left = await takeTurn(context, left)
      return 'idle'
    },
  }
}

/** Answers the requests that are still open; in the next turn they come last. */
async function takeTurn(
  context: AuthorizationContext,
  left: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const query = { chainId: context.client.chain.id, limit: BATCH }
  const open = await listOpenAuthorizationRequests(context.sql, query)
  const waiting = open.toSorted((one, other) => Number(left.has(one.id)) - Number(left.has(other.id)))
  const stillOpen = new Set<string>()
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      if (!(await take(context, next))) stillOpen.add(next.id)
  }
  const lanes = await Promise.allSettled(Array.from({ length: LANES }, lane))
  for (const outcome of lanes) if (outcome.status === 'rejected') throw outcome.reason
  return stillOpen
}

/** @returns whether nothing is left to be done for it */
async function take(context: AuthorizationContext, request: OpenAuthorizationRequest): Promise<boolean> {
  try {
    if (request.isExpired)
      throw new AppError('service_unavailable', `nobody could see to the signature for ${request.chargeId}`)
    const verified = await verifyAuthorization(context, request)
    if ('txHash' in verified) {
      await inTransaction(context.sql, (db) =>
        write(db, verified, { carrier: null, txHash: verified.txHash }),
      )
      return true
    }
    const transaction = await sign(context, verified, await prepareAuthorizationCall(context, verified.asked))
    await context.relayer.broadcast(transaction)
    return true
  } catch (error) {
    return refuse(context, request, error)
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
    if (sent === null) throw new FullError()
    await requireAskedFor(db, verified, clock())
    await requireGoodRecord(db, verified)
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

/** As many wait for a block as may: this one waits for a turn, as long as its minute lasts. */
class FullError extends Error {}

/**
 * What is wrong with the request is its answer, and nothing was sent; a node that does not answer leaves it open, and so
 * does a bug of ours, until its minute is over.
 *
 * @returns whether it is answered
 */
async function refuse(
  { sql, log, metrics }: AuthorizationContext,
  request: OpenAuthorizationRequest,
  error: unknown,
): Promise<boolean> {
  const { id, chargeId } = request
  const fields = { request_id: id, charge_id: chargeId }
  if (error instanceof OvertakenError || error instanceof FullError) return false
  if (isRetryable(error)) throw error
  if (error instanceof BaseError) {
    // Of the error only its first words: the rest quotes the call, and who reads the signature in it can carry it out.
    const { name, shortMessage } = error
    log.warn({
      msg: 'Could not read the chain for an authorization',
      ...fields,
      error: name,
      reason: shortMessage,
    })
  } else if (error instanceof AppError) {
    const { code, message, param } = error
    const answer: AuthorizationAnswer = { outcome: 'refused', code, message, ...(param && { param }) }
    await answerRequest(sql, id, answer)
    metrics.countAuthorization('refused')
    log.warn({ msg: 'Refused an authorization', ...fields, code, reason: message })
  } else {
    log.error({ msg: 'An authorization failed', ...fields, error })
  }
  return error instanceof AppError
}
