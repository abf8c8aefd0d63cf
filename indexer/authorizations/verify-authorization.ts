import {
  type AuthorizationUse,
  findAuthorizationUse,
  isAuthorizationSpent,
} from '../../shared/chain/authorization-use.ts'
import type { ChainClient } from '../../shared/chain/client.ts'
import { UnusableAnswerError } from '../../shared/chain/node-errors.ts'
import type { BlockRef } from '../../shared/chain/nodes/node-report.ts'
import { queryHead } from '../../shared/chain/nodes/query-head.ts'
import { queryQuorum } from '../../shared/chain/nodes/query-nodes.ts'
import { requireAgreed } from '../../shared/chain/nodes/quorum.ts'
import { findSignatureFacts, readPayerRecord } from '../../shared/db/authorizations/authorization-facts.ts'
import type { OpenAuthorizationRequest } from '../../shared/db/authorizations/authorization-requests.ts'
import { findTakenAuthorization } from '../../shared/db/authorizations/authorization-row.ts'
import { areContractsBroken } from '../../shared/db/authorizations/circuit-breaker.ts'
import { findChargeRow } from '../../shared/db/charges/daemon/charge-terms.ts'
import type { Db } from '../../shared/db/connect.ts'
import { FORGED } from '../../shared/db/requests/charge-requests.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { authorizationHash, recoverAuthorizer } from '../../shared/domain/authorization.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { AppError, invariant } from '../../shared/domain/errors.ts'
import type { SignablePair } from '../../shared/domain/plan-authorization.ts'
import {
  refuseAuthorization,
  requireAuthorizable,
  requirePossible,
} from '../../shared/domain/require-authorizable.ts'
import { depth } from '../../shared/domain/transfer.ts'
import { findForged } from '../relayer/find-forged.ts'
import type { RequestedAuthorization } from '../requests/read-payload.ts'
import { readPayload } from '../requests/read-payload.ts'
import type { AuthorizationContext } from './authorization-context.ts'
import { writeUse } from './find-use.ts'
import { NotYetError } from './not-yet.ts'
import { LOOK_BACK_MS, MARGIN_MS, mostBlocksOfUse } from './use-range.ts'

/** No signature is taken while the highest block that a quorum has is older. */
const OLDEST_HEAD_SECONDS = 600

/** A payer's day: each that reverts costs us gas, and him a transaction at most; each that lapses holds a charge up. */
const MAX_FAILED_OF_PAYER = 3

/** An authorization that may be carried out, and of which charge. */
export type VerifiedAuthorization = {
  readonly request: OpenAuthorizationRequest
  readonly organizationId: string
  readonly asked: RequestedAuthorization
  /** Of all that was signed. */
  readonly digest: Hex
  /** Unix seconds, of the block at which the nonce was not spent. */
  readonly headTimestamp: number
  /** Below it no block can have it: the depth, and a minute, below the head at which it was not spent. */
  readonly fromBlock: number
  /** His key has signed; else his code is asked by the simulation, and nothing is told of him before. */
  readonly isSignedByKey: boolean
}

/** The same, but somebody else has carried it out already. */
export type CarriedOut = VerifiedAuthorization & { readonly txHash: Hex }

/**
 * Looks into a request of whoever could write its row, and trusts nothing of it but the signature, and that only for what
 * the charge asks now: its terms are computed again, the pair is one that is offered, value and window are right, and its
 * nonce is not spent.
 *
 * @throws {AppError} why it is not carried out
 * `rpc_unavailable` while no quorum tells what it hangs on
 * @throws {NotYetError} while the chain, or a quorum of its nodes, does not go on
 */
export async function verifyAuthorization(
  context: AuthorizationContext,
  request: OpenAuthorizationRequest,
): Promise<VerifiedAuthorization | CarriedOut> {
  const asked = readPayload('authorization', request.payload)
  if (asked === null || !request.isOfOrganization) throw forged(request)
  const charge = await requireBelieved(context, request)
  const { chain, sql } = context
  if (asked.chainId !== chain.chainId || asked.signed.to !== charge.address) throw forged(request)
  const facts = await findSignatureFacts(sql, { chargeId: charge.id, besides: request.id })
  const offered = facts?.pairs.find(
    ({ chainId, tokenAddress }) => chainId === asked.chainId && tokenAddress === asked.token,
  )
  if (offered === undefined)
    throw new AppError('signature_payment_unavailable', `${charge.id} cannot be paid so with ${asked.token}`)
  requirePossible(charge, asked.signed, context.clock())
  const head = await readGoingHead(context)
  if (!request.isShown) await requireNew(context, asked)
  const digest = authorizationHash({ ...asked, domain: offered.domain, authorization: asked.signed })
  const { organizationId } = charge
  const isSignedByKey = await requireSigned(context, asked, offered)
  // A reorganization may have it mined below the head at which it is unspent now, and another node may be behind this one.
  const { confirmations, blockTimeMs } = context
  const fromBlock = Math.max(0, head.number - confirmations - Math.ceil(MARGIN_MS / blockTimeMs))
  const headTimestamp = head.timestamp
  const verified = { request, organizationId, asked, digest, headTimestamp, fromBlock, isSignedByKey }
  const spent = await findSpent(context, asked, head)
  if (spent !== null) return { ...verified, ...spent }
  await requireAskedFor(sql, verified, context.clock())
  if (isSignedByKey) await requireGoodRecord(sql, verified)
  return verified
}

/** From a head that stands still, or is none, the search for what becomes of it would end before it is mined. */
async function readGoingHead({ chain, clock }: AuthorizationContext): Promise<BlockRef> {
  const { value: head } = await queryHead(chain)
  if (head.timestamp <= clock().getTime() / 1000 - OLDEST_HEAD_SECONDS)
    throw new NotYetError(`the newest block, ${head.number}, is older than ${OLDEST_HEAD_SECONDS} s`)
  return head
}

/**
 * Reads what is asked of the charge now; once more in the transaction that signs.
 *
 * @throws {AppError} why it is not carried out
 */
export async function requireAskedFor(
  db: Db,
  { request, asked }: Pick<VerifiedAuthorization, 'request' | 'asked'>,
  now: Date,
): Promise<void> {
  const facts = await findSignatureFacts(db, { chargeId: request.chargeId, besides: request.id })
  invariant(facts !== null, `the request's charge ${request.chargeId} is gone`)
  requireAuthorizable(facts, { ...asked, authorization: asked.signed }, now)
}

/**
 * Reads what came of a payer's earlier signatures, for whichever charges; of whom his key has not signed, only after his code was
 * found. Of him nothing is told: that could be anybody's address. What lapsed unsent counts against code alone, which makes that
 * itself by what its check costs; of a key it is our fault. Contracts of all payers have a circuit breaker of their own.
 *
 * @throws {AppError} why his is not carried out now
 */
export async function requireGoodRecord(
  db: Db,
  verified: Pick<VerifiedAuthorization, 'request' | 'asked' | 'isSignedByKey' | 'organizationId'>,
): Promise<void> {
  const { request, asked, isSignedByKey, organizationId } = verified
  const whose = { payer: asked.signed.from, chargeId: request.chargeId, requestId: request.id }
  const { hasInFlight, reverted, lapsed } = await readPayerRecord(db, whose)
  const failed = isSignedByKey ? reverted : reverted + lapsed
  const isRefused = hasInFlight || failed >= MAX_FAILED_OF_PAYER
  const { chainId } = asked
  if (!isSignedByKey && (isRefused || (await areContractsBroken(db, { organizationId, chainId }))))
    throw new AppError(
      'signature_payment_unavailable',
      `${request.chargeId} is not paid by this signature now`,
    )
  if (hasInFlight)
    throw new AppError('payment_in_progress', 'another payment of this payer by signature is under way')
  if (failed >= MAX_FAILED_OF_PAYER)
    throw new AppError(
      'signature_payment_unavailable',
      'too many signatures of this payer came to nothing within a day',
    )
}

/** What was taken once is answered by its row, and never carried out twice, whatever has become of it. */
async function requireNew({ sql }: AuthorizationContext, asked: RequestedAuthorization): Promise<void> {
  const { chainId, token, signed } = asked
  const { from: payer, nonce } = signed
  if ((await findTakenAuthorization(sql, { chainId, token, payer, nonce })) === null) return
  throw new AppError('authorization_used', `nonce ${nonce} of ${payer} was taken before`)
}

/** The API makes no such request: somebody else has written the row. */
function forged({ chargeId }: OpenAuthorizationRequest): AppError {
  return new AppError(FORGED.code, `${FORGED.message}: ${chargeId}`)
}

/** The charge's own turn parks it; here it is only not paid. */
async function requireBelieved(
  { sql, log }: AuthorizationContext,
  request: OpenAuthorizationRequest,
): Promise<Pick<ChargeRecord, 'id' | 'address' | 'organizationId' | 'expiresAt'>> {
  const charge = await findChargeRow(sql, request.chargeId)
  invariant(charge !== null, `the request's charge ${request.chargeId} is gone`)
  const [[, problem] = [null, null]] = await findForged(sql, [charge])
  if (problem === null) return charge
  log.error({ msg: 'Took no signature for a charge whose terms are not ours', charge_id: charge.id, problem })
  throw forged(request)
}

/**
 * Finds the transaction by which somebody else has carried it out, which is as good as ours; `null` if a quorum reports that
 * the nonce is not spent.
 *
 * A nonce that is spent by what no quorum shows may have paid the charge, and so may one whose block can be taken back: the
 * request stays open then, because a refusal would have its payer sign anew.
 *
 * @throws {AppError} `authorization_used` if the nonce was spent otherwise, at depth; `rpc_unavailable` if no quorum shows
 * what spent it, or that is not at depth
 */
async function findSpent(
  { chain, confirmations, blockTimeMs }: AuthorizationContext,
  { token, signed }: RequestedAuthorization,
  { number: head }: BlockRef,
): Promise<{ readonly txHash: Hex; readonly fromBlock: number } | null> {
  const { from: payer, to: recipient, value, nonce } = signed
  const payment = { token, payer, nonce, recipient, value }
  const fromBlock = Math.max(0, head - Math.ceil(LOOK_BACK_MS / blockTimeMs))
  const mostBlocks = mostBlocksOfUse({ confirmations, blockTimeMs })
  const range = { fromBlock, head, validBefore: Number(signed.validBefore), mostBlocks }
  const verdict = await queryQuorum(chain, {
    read: ({ client }) => findUseOfSpent(client, payment, range),
    toText: writeUse,
  })
  const { value: use } = requireAgreed(verdict, `the use of nonce ${nonce}`)
  if (use === null) return null
  if (use.isPayment) return { txHash: use.txHash, fromBlock }
  if (depth({ head, block: use.blockNumber }) < confirmations)
    throw new AppError('rpc_unavailable', `what spent nonce ${nonce} is not at depth`)
  throw new AppError('authorization_used', `nonce ${nonce} of ${payer} was spent before`)
}

/** Returns `null` if the nonce is not spent. A node that holds it for spent, and does not show by what, is silent. */
async function findUseOfSpent(
  client: ChainClient,
  payment: Parameters<typeof findAuthorizationUse>[1],
  range: Parameters<typeof findAuthorizationUse>[2],
): Promise<AuthorizationUse | null> {
  if (!(await isAuthorizationSpent(client, payment, BigInt(range.head)))) return null
  const use = await findAuthorizationUse(client, payment, range)
  if (use !== null) return use
  throw new UnusableAnswerError({
    method: 'eth_getLogs',
    answer: `no use of the spent nonce ${payment.nonce}`,
  })
}

/**
 * Whose code answers for him, the simulation asks; an account that a quorum shows without code has signed itself or not at
 * all.
 *
 * @returns whether his key has signed
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
    throw refuseAuthorization('signature', `is not ${signed.from}'s of what the charge asks for`)
  return false
}
