import type { BlockRef } from '../../shared/chain/nodes/node-report.ts'
import { queryHead } from '../../shared/chain/nodes/query-head.ts'
import { queryQuorum } from '../../shared/chain/nodes/query-nodes.ts'
import { requireAgreed } from '../../shared/chain/nodes/quorum.ts'
import { findChargeRow } from '../../shared/db/charges/daemon/charge-terms.ts'
import type { Db } from '../../shared/db/connect.ts'
import { findSignatureFacts } from '../../shared/db/pay-by-signature/authorization-facts.ts'
import type { OpenAuthorizationRequest } from '../../shared/db/pay-by-signature/authorization-requests.ts'
import { findAuthorization } from '../../shared/db/pay-by-signature/authorization-row.ts'
import { INVALID_REQUEST_ERROR } from '../../shared/db/requests/charge-requests.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { authorizationHash, recoverAuthorizer } from '../../shared/domain/eip3009/authorization.ts'
import type { SignablePair } from '../../shared/domain/eip3009/plan-authorization.ts'
import {
  createAuthorizationError,
  requireAuthorizable,
  requireValidPayment,
} from '../../shared/domain/eip3009/require-authorizable.ts'
import { AppError, invariant } from '../../shared/domain/errors.ts'
import { findInvalidTerms } from '../relayer/find-invalid-terms.ts'
import type { RequestedAuthorization } from '../requests/parse-payload.ts'
import { parsePayload } from '../requests/parse-payload.ts'
import type { AuthorizationContext } from './authorization-context.ts'
import { findSpent } from './find-spent.ts'
import { NotDueError } from './not-due-error.ts'
import { requireGoodRecord } from './require-good-record.ts'
import { CLOCK_SKEW_MS } from './use-window.ts'
import type { CarriedOut, VerifiedAuthorization } from './verified-authorization.ts'

/** While the newest block that a quorum shows is at least 600 s old, we neither accept nor retry a signature. */
const OLDEST_HEAD_SECONDS = 600

/**
 * Verifies a request whose row anyone with the API's database role could have written. Trusts only the signature, and
 * only for the charge's current amount and terms: recomputes the charge's terms, and checks that the pair is offered,
 * that the value and the window are right, and that the nonce is unused.
 *
 * @returns the verified authorization, with the transaction's hash if a third party has already executed it
 * @throws {AppError} if the authorization must not be executed; `rpc_unavailable` while no quorum reports the facts
 * that the decision depends on
 * @throws {NotDueError} while the newest block that a quorum shows is at least 600 s old
 */
export async function verifyAuthorization(
  context: AuthorizationContext,
  request: OpenAuthorizationRequest,
): Promise<VerifiedAuthorization | CarriedOut> {
  const asked = parsePayload('authorization', request.payload)
  if (asked === null || !request.isOfOrganization) throw forged(request)
  const charge = await requireBelieved(context, request)
  const { chain, sql, staleAfter } = context
  if (asked.chainId !== chain.chainId || asked.signed.to !== charge.address) throw forged(request)
  const facts = await findSignatureFacts(sql, { chargeId: charge.id, besides: request.id, staleAfter })
  const offered = facts?.pairs.find(
    ({ chainId, tokenAddress }) => chainId === asked.chainId && tokenAddress === asked.token,
  )
  if (offered === undefined)
    throw new AppError(
      'signature_payment_unavailable',
      `${charge.id} cannot be paid by signature with ${asked.token}`,
    )
  requireValidPayment(charge, asked.signed, context.clock())
  const head = await readGoingHead(context)
  if (!request.isShown) await requireNew(context, asked)
  const digest = authorizationHash({ ...asked, domain: offered.domain, authorization: asked.signed })
  const { organizationId } = charge
  const isSignedByKey = await requireSigned(context, asked, offered)
  // The search for the use of the nonce starts below the head, because a reorganization might include the transaction
  // there, and some nodes might lag behind the quorum that reported the head.
  const { confirmations, blockTimeMs } = context
  const fromBlock = Math.max(0, head.number - confirmations - Math.ceil(CLOCK_SKEW_MS / blockTimeMs))
  const headTimestamp = head.timestamp
  const verified = { request, organizationId, asked, digest, headTimestamp, fromBlock, isSignedByKey }
  const spent = await findSpent(context, asked, head)
  if (spent !== null) return { ...verified, ...spent }
  await requireAmountDue(sql, verified, context)
  if (isSignedByKey) await requireGoodRecord(sql, verified)
  return verified
}

/**
 * Returns the highest block that a quorum shows.
 *
 * @throws {NotDueError} if the head is at least 600 s old. The search for the use of the nonce covers a limited number
 * of blocks, so on a stalled chain it could end before the block that contains the transaction.
 */
async function readGoingHead({ chain, clock }: AuthorizationContext): Promise<BlockRef> {
  const { value: head } = await queryHead(chain)
  if (head.timestamp <= clock().getTime() / 1000 - OLDEST_HEAD_SECONDS)
    throw new NotDueError(`the newest block, ${head.number}, is at least ${OLDEST_HEAD_SECONDS} s old`)
  return head
}

/**
 * Checks that the charge still requires this payment. The check is repeated in the database transaction that accepts
 * the signature, and in the database transaction that signs our transaction.
 *
 * @throws {AppError} if the authorization must not be executed
 */
export async function requireAmountDue(
  db: Db,
  { request, asked }: Pick<VerifiedAuthorization, 'request' | 'asked'>,
  { staleAfter, clock }: Pick<AuthorizationContext, 'staleAfter' | 'clock'>,
): Promise<void> {
  const { chargeId, id: besides } = request
  const facts = await findSignatureFacts(db, { chargeId, besides, staleAfter })
  invariant(facts !== null, `the request's charge ${request.chargeId} does not exist`)
  requireAuthorizable(facts, { ...asked, authorization: asked.signed }, clock())
}

/**
 * Rejects an authorization that was accepted before. The API then responds to its caller according to the existing
 * authorization.
 */
async function requireNew({ sql }: AuthorizationContext, asked: RequestedAuthorization): Promise<void> {
  const { chainId, token, signed } = asked
  const { from: payer, nonce } = signed
  if ((await findAuthorization(sql, { chainId, token, payer, nonce })) === null) return
  throw new AppError('authorization_used', `nonce ${nonce} of ${payer} was already submitted`)
}

/**
 * Creates the error for a request that the API never writes, or whose charge has invalid terms. A third party must have
 * written the request's or the charge's row.
 */
function forged({ chargeId }: OpenAuthorizationRequest): AppError {
  return new AppError(INVALID_REQUEST_ERROR.code, `${INVALID_REQUEST_ERROR.message}: ${chargeId}`)
}

/** Returns the charge. Rejects the request if the charge's terms are not valid. */
async function requireBelieved(
  { sql, log }: AuthorizationContext,
  request: OpenAuthorizationRequest,
): Promise<Pick<ChargeRecord, 'id' | 'address' | 'organizationId' | 'expiresAt'>> {
  const charge = await findChargeRow(sql, request.chargeId)
  invariant(charge !== null, `the request's charge ${request.chargeId} does not exist`)
  const [[, problem] = [null, null]] = await findInvalidTerms(sql, [charge])
  if (problem === null) return charge
  log.error({
    msg: 'Rejected a signature: the terms of the charge are not valid',
    charge_id: charge.id,
    problem,
  })
  throw forged(request)
}

/**
 * Throws if the payer's key did not sign, and a quorum reports that the payer has no code. If the payer has code,
 * that code checks the signature in the simulation.
 *
 * @returns whether the payer's key signed
 */
async function requireSigned(
  { chain }: AuthorizationContext,
  { chainId, token, signed }: RequestedAuthorization,
  { domain }: Pick<SignablePair, 'domain'>,
): Promise<boolean> {
  const terms = { chainId, token, domain, authorization: signed }
  if ((await recoverAuthorizer(terms, signed.signature)) === signed.from) return true
  const verdict = await queryQuorum(chain, {
    read: async ({ client }) => ((await client.getCode({ address: signed.from })) ?? '0x') !== '0x',
    toText: String,
  })
  if (!requireAgreed(verdict, `the code of ${signed.from}`).value)
    throw createAuthorizationError('signature', `is not ${signed.from}'s signature for this charge`)
  return false
}
