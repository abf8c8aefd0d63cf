import type { Context } from 'koa'
import type { RefundClaimRequest } from '../../../shared/db/refunds/refund-requests.ts'
import { type Address, type Hex, parseEvmAddress } from '../../../shared/domain/address.ts'
import { findSignatureProblem } from '../../../shared/domain/eip3009/parse-authorization.ts'
import { AppError, type ErrorCode } from '../../../shared/domain/errors.ts'
import { type ChargeRateLimit, rateLimitCharge } from '../../charges/rate-limit-charge.ts'
import { getRequestId } from '../../http/middleware/request-id.ts'
import { requestRefund } from '../../refunds/request-refund.ts'
import type { ReadAt, ResourceDeps } from '../resource.ts'
import type { ClaimProblem, Linked } from './claim-at.ts'

/** Limit per charge. Each claim with a signature causes several requests to the chain's nodes. */
const PER_CHARGE: ChargeRateLimit = {
  ...{ bucket: 'refund_claim', quota: 5, windowSeconds: 60 },
  rule: 'sent 5 addresses a minute',
}

type Sent = {
  readonly at: ReadAt
  readonly linked: Linked
  readonly deps: Pick<ResourceDeps, 'sql'>
  readonly address: Address
  readonly form: URLSearchParams
}

/**
 * Sends the payer's address to the daemon, which records it for the merchant's approval. Returns the reason why the
 * payer must enter an address again; `null` if the page of the refund shows the outcome.
 */
export async function sendClaim(
  ctx: Context,
  { at, linked, deps, address, form }: Sent,
): Promise<ClaimProblem | null> {
  const { charge } = at.current
  const { refund, claimHash } = linked
  const signed = readSigned(form)
  if (signed === 'malformed') return 'notProven'
  await rateLimitCharge(deps.sql, ctx, { chargeId: charge.id, limit: PER_CHARGE })
  const caller = {
    key: { organizationId: charge.organizationId, now: at.now },
    requestId: getRequestId(ctx),
  }
  const payload = { action: 'claim', refundId: refund.id, claimHash, destination: address, signed } as const
  try {
    await requestRefund(deps.sql, caller, { chargeId: charge.id, payload })
    return null
  } catch (error) {
    const outcome = error instanceof AppError ? OUTCOMES[error.code] : undefined
    if (outcome === undefined) throw error
    return outcome === 'shown' ? null : outcome
  }
}

const OUTCOMES: Readonly<Partial<Record<ErrorCode, ClaimProblem | 'shown'>>> = {
  destination_not_allowed: 'refused',
  validation_error: 'notProven',
  request_in_progress: 'later',
  rpc_unavailable: 'later',
  service_unavailable: 'later',
  refund_not_claimable: 'shown',
}

/** Returns `null` without a signature, and `malformed` if the signature or its signer is malformed. */
function readSigned(form: URLSearchParams): RefundClaimRequest['signed'] | 'malformed' {
  const signature = (form.get('signature') ?? '').toLowerCase()
  if (signature === '') return null
  const signer = parseEvmAddress(form.get('signer') ?? '')
  if (signer === null || findSignatureProblem(signature) !== null) return 'malformed'
  return { signer, signature: signature as Hex }
}
