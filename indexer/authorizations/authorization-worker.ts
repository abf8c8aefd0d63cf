import { lockPayer } from '../../shared/db/authorizations/authorization-facts.ts'
import {
  consumeAuthorizationRequest,
  type OpenAuthorizationRequest,
  refuseAuthorizationRequest,
  retakeAuthorizationRequest,
  takeOpenAuthorizationRequests,
} from '../../shared/db/authorizations/authorization-requests.ts'
import {
  countShownAuthorizations,
  insertAuthorization,
} from '../../shared/db/authorizations/daemon/authorizations.ts'
import { type Db, isRetryable } from '../../shared/db/connect.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { atomic } from '../../shared/domain/money.ts'
import type { AuthorizationContext } from './authorization-context.ts'
import { carryOut } from './carry-out.ts'
import { NotYetError } from './not-yet.ts'
import { type AuthorizationQuote, quoteAuthorization } from './prepare-authorization-call.ts'
import { requireGoodRecord } from './require-good-record.ts'
import { describeUnread } from './unread-chain.ts'
import type { VerifiedAuthorization } from './verified-authorization.ts'
import { requireAskedFor, verifyAuthorization } from './verify-authorization.ts'

/** Requests looked at in one turn. */
const BATCH = 20
/** So many at once: one of which a node tells nothing keeps its lane waiting for some seconds, and no other. */
const LANES = 4

/**
 * Makes the worker that carries out what the payers of one chain's charges have signed.
 *
 * A turn looks into each open request. **Before any node sees a signature, an order for it is committed**: whoever runs that node
 * can carry it out, so that its charge asks nobody for another until this one is spent or its window is past. Nonce and signed
 * bytes of ours are committed together, before anything is broadcast.
 *
 * It may be killed anywhere: the next turn goes on with what was shown, the relayer sends the committed bytes again,
 * `followAuthorizations` answers by what the chain shows, and the credit comes by the feed alone.
 */
export function createAuthorizationWorker(context: AuthorizationContext): {
  readonly turn: () => Promise<'idle'>
} {
  return {
    turn: async () => {
      await takeTurn(context)
      return 'idle'
    },
  }
}

async function takeTurn(context: AuthorizationContext): Promise<void> {
  const query = { chainId: context.chain.chainId, limit: BATCH, retrySeconds: context.retrySeconds }
  const waiting = [...(await takeOpenAuthorizationRequests(context.sql, query))]
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await take(context, next)
  }
  const lanes = await Promise.allSettled(Array.from({ length: LANES }, lane))
  for (const outcome of lanes) if (outcome.status === 'rejected') throw outcome.reason
}

async function take(context: AuthorizationContext, request: OpenAuthorizationRequest): Promise<void> {
  const prepared = await prepare(context, request)
  if (prepared !== null) await carryOut(context, prepared.verified, prepared.quoted)
}

type Prepared = { readonly verified: VerifiedAuthorization; readonly quoted: AuthorizationQuote }

/**
 * Does all that can be done before a node sees the signature, and writes down that one is about to.
 *
 * @returns `null` if it is answered, somebody else sees to it, or it waits for a node or its turn
 */
async function prepare(
  context: AuthorizationContext,
  request: OpenAuthorizationRequest,
): Promise<Prepared | null> {
  const { sql, retrySeconds } = context
  try {
    if (request.isExpired)
      throw new AppError('service_unavailable', `nobody could see to the signature for ${request.chargeId}`)
    if (request.isShown && !(await retakeAuthorizationRequest(sql, { id: request.id, retrySeconds })))
      return null
    const verified = await verifyAuthorization(context, request)
    if ('txHash' in verified) {
      // Of one that was shown, whoever follows it finds that.
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
 * Writes down that a signature is about to be shown to a node: from then on it is in flight, no other is asked for, and its
 * request is nobody's to withdraw.
 *
 * That costs who brings it as much as he holds up: his key has signed, or his code says yes, for all that is asked; he has it;
 * and has no other in flight. Of a contract that is not known yet, so that about him nothing is told.
 *
 * @throws {AppError} why it is not carried out any more, and nobody has seen it
 * @throws {NotYetError} if it is another one's turn
 */
async function show({ sql, clock }: AuthorizationContext, verified: VerifiedAuthorization): Promise<void> {
  await inTransaction(sql, async (db) => {
    await lockPayer(db, verified.asked.signed.from)
    await requireAskedFor(db, verified, clock())
    await requireRoom(db, verified)
    await requireGoodRecord(db, verified)
    await write(db, verified, null)
  })
}

/**
 * Of an organization on one chain, so many are shown and not carried out at once, about: each is tried again and again. Those of
 * contracts fewer, whose code may say yes and cost too much, so that they stand in no key's way.
 */
const MOST_SHOWN = { ofKeys: 100, ofContracts: 20 }

/** @throws {AppError} if as many wait as may */
async function requireRoom(
  db: Db,
  { organizationId, asked, isSignedByKey }: VerifiedAuthorization,
): Promise<void> {
  const shown = await countShownAuthorizations(db, { organizationId, chainId: asked.chainId })
  if (shown < (isSignedByKey ? MOST_SHOWN.ofKeys : MOST_SHOWN.ofContracts)) return
  throw new AppError('signature_payment_unavailable', `${shown} signatures wait to be carried out`)
}

/** Takes the request and writes its authorization down; both or neither. */
async function write(
  db: Db,
  { request, organizationId, asked, digest, fromBlock, isSignedByKey }: VerifiedAuthorization,
  txHash: Hex | null,
): Promise<void> {
  const { chainId, token, signed } = asked
  if (!(await consumeAuthorizationRequest(db, request.id))) throw new NotYetError('it is taken, or withdrawn')
  const isFirst = await insertAuthorization(db, {
    ...{ requestId: request.id, organizationId, chargeId: request.chargeId, chainId, tokenAddress: token },
    ...{ payer: signed.from, nonce: signed.nonce, digest, valueAtomic: atomic(signed.value) },
    ...{ validBefore: signed.validBefore, fromBlock, txHash, isSignedByKey },
  })
  if (!isFirst)
    throw new AppError('payment_in_progress', `another signature for ${request.chargeId} was first`)
}

/**
 * What is wrong with the request is its answer, for no node has seen its signature; a node that does not answer leaves it
 * open, and so does a bug of ours, until its minute is over. One that was shown, by whichever daemon, stays in flight, whatever it
 * is.
 */
async function refuse(
  { sql, log, metrics }: AuthorizationContext,
  request: OpenAuthorizationRequest,
  error: unknown,
): Promise<void> {
  const { id, chargeId } = request
  const fields = { request_id: id, charge_id: chargeId }
  if (error instanceof NotYetError) return
  if (isRetryable(error)) throw error
  const unread = describeUnread(error)
  if (unread !== null) {
    log.warn({ msg: 'Could not read the chain for an authorization', ...fields, ...unread })
  } else if (error instanceof AppError && request.isShown) {
    log.info({ msg: 'An authorization waits in flight', ...fields, reason: error.message })
  } else if (error instanceof AppError) {
    const { code, message, param } = error
    const answer = { outcome: 'refused', code, message, ...(param && { param }) } as const
    // Another daemon may have shown it since it was listed here.
    if (!(await refuseAuthorizationRequest(sql, id, answer))) return
    metrics.countAuthorization('refused')
    log.warn({ msg: 'Refused an authorization', ...fields, code, reason: message })
  } else {
    log.error({ msg: 'An authorization failed', ...fields, error })
  }
}
