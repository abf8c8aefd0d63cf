import { setTimeout as delay } from 'node:timers/promises'
import type { Context } from 'koa'
import { findSignatureFacts } from '../../shared/db/authorizations/authorization-facts.ts'
import {
  type AuthorizationAnswer,
  type AuthorizationKey,
  type AuthorizationRequestPayload,
  findOpenAuthorizationRequest,
} from '../../shared/db/authorizations/authorization-requests.ts'
import {
  findTakenAuthorization,
  type TakenAuthorization,
} from '../../shared/db/authorizations/authorization-row.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { Address, Hex } from '../../shared/domain/address.ts'
import { findKeyProblem, type SignedAuthorization } from '../../shared/domain/authorization.ts'
import { authorizationFailure } from '../../shared/domain/authorization-status.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { AppError, type ErrorCode, invariant } from '../../shared/domain/errors.ts'
import { newId } from '../../shared/domain/ids.ts'
import { parseAuthorization, type WrittenAuthorization } from '../../shared/domain/parse-authorization.ts'
import { refuseAuthorization, requireAuthorizable } from '../../shared/domain/require-authorizable.ts'
import { type Clock, systemClock } from '../../shared/runtime/clock.ts'
import { askDaemon, waitForDaemon } from '../ask-daemon.ts'
import { requestIdOf } from '../middleware/request-id.ts'

/** What a payer has signed for a charge, as it was brought. */
export type Submission = {
  readonly ctx: Context
  readonly charge: Pick<ChargeRecord, 'id' | 'organizationId'>
  readonly payment: {
    readonly chainId: number
    /** Lowercase. */
    readonly token: Address
    readonly written: WrittenAuthorization
  }
  /** Counts one that is new and not plainly wrong, before the daemon is asked; left out where all are counted. */
  readonly limit?: () => Promise<void>
}

/** What has become of it: mined, by whomever; or under way, and nobody may be asked for another. */
export type Submitted = { readonly type: 'mined' | 'pending'; readonly txHash: Hex | null }

/** A request is taken back after this long if no node has seen its signature; if one has, it goes on. */
const WAIT_MS = 30_000

/** What is under way is looked at this often; each look reads one row by its key. */
const POLL_MS = 250

/**
 * Has the daemon carry out what a payer has signed, and returns when it is mined, or after 30 s.
 *
 * **The very same authorization again is never a second payment**: it is answered as it was, whatever the charge has become
 * and however often and at whatever moment it comes. Where it refuses, nobody else has seen it, and nothing is kept; but for a
 * contract's that every node refuses, and one that is over.
 *
 * @throws {AppError} `authorization_invalid`, `authorization_used`, `insufficient_balance`, `payment_in_progress`,
 * `charge_not_payable`, `payment_temporarily_unavailable`, `signature_payment_unavailable`, `service_unavailable`, and what
 * `limit` throws
 */
export async function submitAuthorization(
  {
    sql,
    waitMs = WAIT_MS,
    clock = systemClock,
  }: { readonly sql: Sql; readonly waitMs?: number; readonly clock?: Clock },
  { ctx, charge, payment, limit }: Submission,
): Promise<Submitted> {
  const deps = { sql, waitMs }
  const parsed = parseAuthorization(payment.written)
  if (!parsed.ok) throw refuseAuthorization(parsed.param, parsed.problem)
  const { signed } = parsed
  const sought = { chargeId: charge.id, key: keyOf(payment, signed), signed }
  try {
    const known = await findKnown(deps, sought)
    if (known !== null) return known
    await requirePayable(sql, sought, clock())
    await limit?.()
    return await ask(deps, { ctx, charge, sought })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    // It may be this very one that was first by less than a moment, and has left nothing to be paid; or whose request was
    // refused, and that was taken.
    const same = await findKnown(deps, sought)
    if (same !== null) return same
    if (!IN_PROGRESS.includes(error.code)) throw error
    throw new AppError('payment_in_progress', `a payment of ${charge.id} by signature is under way`)
  }
}

/** By our own rows, and by the one request of a charge that can be open. */
const IN_PROGRESS: readonly ErrorCode[] = ['payment_in_progress', 'request_in_progress']

type Waiting = { readonly sql: Sql; readonly waitMs: number }

async function ask(
  { sql, waitMs }: Waiting,
  { ctx, charge, sought }: Pick<Submission, 'ctx' | 'charge'> & { readonly sought: Sought },
): Promise<Submitted> {
  const { key, signed } = sought
  const { chainId, token } = key
  const payload: AuthorizationRequestPayload = { chainId, token, ...writtenOf(signed) }
  const request = { id: newId('req', Date.now()), kind: 'authorization', chargeId: charge.id } as const
  const { organizationId } = charge
  const asking = { ...request, organizationId, apiRequestId: requestIdOf(ctx), payload }
  const answer = await askDaemon<Mined>(sql, asking, { waitMs, isWithdrawn: true })
  return answer === null ? conclude(sql, sought) : { type: 'mined', txHash: answer.txHash }
}

/**
 * Answers what is known of one that nobody has answered in time.
 *
 * @throws {AppError} `service_unavailable` if its request was withdrawn meanwhile, by whoever made it: nothing of it is kept;
 * or why it has not paid
 */
async function conclude(sql: Sql, { chargeId, key }: Omit<Sought, 'signed'>): Promise<Submitted> {
  // In this order: a request is open until it is taken.
  const open = await findOpenAuthorizationRequest(sql, { chargeId, key })
  const taken = await findTakenAuthorization(sql, key)
  if (taken !== null) return submittedOf(taken)
  if (open !== null) return { type: 'pending', txHash: null }
  throw new AppError(
    'service_unavailable',
    `nobody could see to the signature for ${chargeId}; bring it again`,
  )
}

type Mined = Extract<AuthorizationAnswer, { readonly outcome: 'mined' }>

type Sought = {
  readonly chargeId: string
  readonly key: AuthorizationKey
  readonly signed: SignedAuthorization
}

function keyOf({ chainId, token }: Submission['payment'], { from, nonce }: SignedAuthorization) {
  return { chainId, token, payer: from, nonce }
}

/** Answers what became of an authorization that was brought before, and waits for it; `null` if it is a new one. */
async function findKnown(deps: Waiting, sought: Sought): Promise<Submitted | null> {
  const { sql, waitMs } = deps
  const { chargeId, key } = sought
  // In this order, as in `conclude`: a request is open until its authorization is stored, so one of the two is found.
  const open = await findOpenAuthorizationRequest(sql, { chargeId, key })
  const taken = await findTakenAuthorization(sql, key)
  if (taken !== null) return waitForTaken(deps, sought, taken)
  if (open === null) return null
  const answer = await waitForDaemon<Mined>(sql, open, waitMs)
  return answer === null ? conclude(sql, sought) : { type: 'mined', txHash: answer.txHash }
}

/** Of the same nonce, charge and value only one is ever carried out, whichever window was signed: the answer is of both. */
async function waitForTaken(
  { sql, waitMs }: Waiting,
  { chargeId, key, signed }: Sought,
  first: TakenAuthorization,
): Promise<Submitted> {
  if (first.chargeId !== chargeId || first.valueAtomic !== signed.value)
    throw new AppError(
      'authorization_used',
      `nonce ${key.nonce} of ${key.payer} was taken for another payment`,
    )
  const deadline = performance.now() + waitMs
  let taken: TakenAuthorization | null = first
  while (taken?.status === 'signed' && performance.now() < deadline) {
    await delay(POLL_MS)
    taken = await findTakenAuthorization(sql, key)
  }
  // No node takes it: it is forgotten.
  return taken === null ? conclude(sql, { chargeId, key }) : submittedOf(taken)
}

function submittedOf({ status, txHash }: TakenAuthorization): Submitted {
  const failure = authorizationFailure(status)
  if (failure !== null) throw new AppError(failure.code, failure.message, { param: failure.param })
  return { type: status === 'signed' ? 'pending' : 'mined', txHash }
}

/**
 * The daemon looks at all of it again, and at the chain; what is plainly wrong never gets there. Whose signature it is, it alone
 * can tell: a payer with code may have any key sign, and nothing here knows who has code.
 */
async function requirePayable(sql: Sql, { chargeId, key, signed }: Sought, now: Date): Promise<void> {
  const facts = await findSignatureFacts(sql, { chargeId })
  invariant(facts !== null, `charge ${chargeId} was there a moment ago`)
  const { chainId, token } = key
  const { domain } = requireAuthorizable(facts, { chainId, token, authorization: signed }, now)
  const terms = { chainId, token, domain, authorization: signed }
  const problem = await findKeyProblem(terms, signed.signature)
  if (problem !== null) throw refuseAuthorization('signature', problem)
}

/** In one spelling, so that the same is found again. */
function writtenOf({ from, to, value, validAfter, validBefore, nonce, signature }: SignedAuthorization) {
  const numbers = { value: `${value}`, validAfter: `${validAfter}`, validBefore: `${validBefore}` }
  return { from, to, ...numbers, nonce, signature }
}
