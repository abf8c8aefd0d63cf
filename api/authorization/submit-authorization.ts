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
import type { SignedAuthorization } from '../../shared/domain/authorization.ts'
import { authorizationFailure } from '../../shared/domain/authorization-status.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { AppError, type ErrorCode, invariant } from '../../shared/domain/errors.ts'
import { newId } from '../../shared/domain/ids.ts'
import { parseAuthorization, type WrittenAuthorization } from '../../shared/domain/parse-authorization.ts'
import { refuseAuthorization, requireAuthorizable } from '../../shared/domain/require-authorizable.ts'
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
}

/** What has become of it: mined, by whomever; or under way, and nobody may be asked for another. */
export type Submitted = { readonly type: 'mined' | 'pending'; readonly txHash: Hex | null }

/** Taken back after this long if the daemon has not signed; if it has, it goes on. */
const PATIENCE = { waitMs: 30_000, isWithdrawn: true }

/** What is under way is looked at this often; each look reads one row by its key. */
const POLL_MS = 250

/**
 * Has the daemon carry out what a payer has signed, and returns when it is mined, or after 30 s.
 *
 * **The very same authorization again is never a second payment**: it is answered as it was, whatever the charge has become
 * and however often and at whatever moment it comes. Where it refuses, nothing was sent, and nothing is kept.
 *
 * @throws {AppError} `authorization_invalid`, `authorization_used`, `insufficient_balance`, `payment_in_progress`,
 * `charge_not_payable`, `payment_temporarily_unavailable`, `signature_payment_unavailable`, `service_unavailable`
 */
export async function submitAuthorization(
  { sql }: { readonly sql: Sql },
  { ctx, charge, payment }: Submission,
): Promise<Submitted> {
  const parsed = parseAuthorization(payment.written)
  if (!parsed.ok) throw refuseAuthorization(parsed.param, parsed.problem)
  const { signed } = parsed
  const sought = { chargeId: charge.id, key: keyOf(payment, signed), signed }
  const known = await findKnown(sql, sought)
  if (known !== null) return known
  try {
    await requirePayable(sql, sought)
    return await ask(sql, { ctx, charge, sought })
  } catch (error) {
    if (!(error instanceof AppError) || !IN_PROGRESS.includes(error.code)) throw error
    // Another one was first by less than a moment: it may be this very one.
    const same = await findKnown(sql, sought)
    if (same !== null) return same
    throw new AppError('payment_in_progress', `a payment of ${charge.id} by signature is under way`)
  }
}

/** By our own rows, and by the one request of a charge that can be open. */
const IN_PROGRESS: readonly ErrorCode[] = ['payment_in_progress', 'request_in_progress']

async function ask(
  sql: Sql,
  { ctx, charge, sought }: Pick<Submission, 'ctx' | 'charge'> & { readonly sought: Sought },
): Promise<Submitted> {
  const { key, signed } = sought
  const { chainId, token } = key
  const payload: AuthorizationRequestPayload = { chainId, token, ...writtenOf(signed) }
  const request = { id: newId('req', Date.now()), kind: 'authorization', chargeId: charge.id } as const
  const { organizationId } = charge
  const asking = { ...request, organizationId, apiRequestId: requestIdOf(ctx), payload }
  const answer = await askDaemon<Mined>(sql, asking, PATIENCE)
  if (answer !== null) return { type: 'mined', txHash: answer.txHash }
  return { type: 'pending', txHash: (await findTakenAuthorization(sql, key))?.txHash ?? null }
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
async function findKnown(sql: Sql, sought: Sought): Promise<Submitted | null> {
  const { chargeId, key } = sought
  const taken = await findTakenAuthorization(sql, key)
  if (taken !== null) return waitForTaken(sql, sought, taken)
  const open = await findOpenAuthorizationRequest(sql, { chargeId, key })
  if (open === null) return null
  const answer = await waitForDaemon<Mined>(sql, open, PATIENCE.waitMs)
  return { type: answer === null ? 'pending' : 'mined', txHash: answer?.txHash ?? null }
}

async function waitForTaken(
  sql: Sql,
  { chargeId, key, signed }: Sought,
  first: TakenAuthorization,
): Promise<Submitted> {
  if (first.chargeId !== chargeId || first.valueAtomic !== signed.value)
    throw new AppError(
      'authorization_used',
      `nonce ${key.nonce} of ${key.payer} was taken for another payment`,
    )
  const deadline = performance.now() + PATIENCE.waitMs
  let taken = first
  while (taken.status === 'signed' && performance.now() < deadline) {
    await delay(POLL_MS)
    taken = (await findTakenAuthorization(sql, key)) ?? taken
  }
  const failure = authorizationFailure(taken.status)
  if (failure !== null) throw new AppError(failure.code, failure.message, { param: failure.param })
  return { type: taken.status === 'signed' ? 'pending' : 'mined', txHash: taken.txHash }
}

/** The daemon looks at all of it again, and at the chain; what is plainly wrong never gets there. */
async function requirePayable(sql: Sql, { chargeId, key, signed }: Sought): Promise<void> {
  const facts = await findSignatureFacts(sql, { chargeId })
  invariant(facts !== null, `charge ${chargeId} was there a moment ago`)
  const { chainId, token } = key
  requireAuthorizable(facts, { chainId, token, authorization: signed }, new Date())
}

/** In one spelling, so that the same is found again. */
function writtenOf({ from, to, value, validAfter, validBefore, nonce, signature }: SignedAuthorization) {
  const numbers = { value: `${value}`, validAfter: `${validAfter}`, validBefore: `${validBefore}` }
  return { from, to, ...numbers, nonce, signature }
}
