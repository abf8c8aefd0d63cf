import type { Db } from '../../shared/db/connect.ts'
import { findClaimHash, insertClaim, isPayer } from '../../shared/db/refunds/daemon/refund-claims.ts'
import type { RefundClaimRequest, RefundResult } from '../../shared/db/refunds/refund-requests.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import { CHAIN_FAMILIES } from '../../shared/domain/chain-families/chain-families.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { MAX_CLAIMS_PER_REFUND, type RefundRecord } from '../../shared/domain/refund/refund.ts'
import { applyRefundNews } from './apply-refund-news.ts'
import type { DeclareDeps } from './declare-refund.ts'
import { getLockedCharge } from './get-locked-charge.ts'
import { lockRefundOf } from './lock-refund-of.ts'
import type { RefundRecorder } from './record-transfer.ts'
import { listContracts, requireDestination } from './require-destination.ts'
import { requireSignedClaim } from './verify-claim.ts'
import { withinTime } from './within-time.ts'

export type ClaimDeps = RefundRecorder & Pick<DeclareDeps, 'chains' | 'onlyToPayers'>

type Claimed = { readonly chargeId: string; readonly claim: RefundClaimRequest }

/**
 * Records the address that a payer gave, as a claim that the merchant must approve. The link then accepts no other
 * address until the merchant has rejected this one. A repeated claim of the same address changes nothing.
 *
 * A payer's signature is evidence for the merchant, and does not replace their approval.
 *
 * @throws {AppError} `refund_not_found` if the link is void; `refund_not_claimable`; `validation_error`, param
 * `signature`; `destination_not_allowed`; `refund_limit_reached`; `rpc_unavailable`
 */
export async function claimDestination(deps: ClaimDeps, claimed: Claimed): Promise<RefundResult> {
  const { chargeId, claim } = claimed
  const known = await inTransaction(deps.sql, (db) => lockClaimable(db, claimed, deps.now()))
  // Return before the second transaction: if the merchant rejected the claim in the meantime, the claim would be
  // inserted again with a signature that was not verified.
  if (known.claim !== null) return { outcome: 'done', refundId: claim.refundId, isReplay: true }
  if (claim.signed !== null) await withinTime(verify(deps, known, claim))
  const isNew = await inTransaction(deps.sql, async (db) => {
    const refund = await lockClaimable(db, claimed, deps.now())
    if (refund.claim !== null) return false
    await insertClaimOf(deps, db, { refund, ...claim })
    return true
  })
  if (isNew) {
    deps.onEvents()
    deps.log.info({
      msg: 'The payer of a refund gave an address',
      refund_id: claim.refundId,
      charge_id: chargeId,
    })
  }
  return { outcome: 'done', refundId: claim.refundId, isReplay: !isNew }
}

/**
 * Locks and returns the refund. Throws unless the link is current, the deadline has not passed, and the refund either
 * has no claim or has one with the same address that awaits approval.
 */
async function lockClaimable(db: Db, { chargeId, claim }: Claimed, now: Date): Promise<RefundRecord> {
  const refund = await lockRefundOf(db, { chargeId, id: claim.refundId })
  if ((await findClaimHash(db, refund.id)) !== claim.claimHash)
    throw new AppError('refund_not_found', 'this link is not valid, or was replaced by a new one')
  const isWaiting = refund.status === 'awaiting_destination' && refund.claim === null
  const isRepeated = refund.status === 'awaiting_approval' && refund.claim?.destination === claim.destination
  // After the deadline, the refund keeps its status until it is expired.
  const isOver = now >= refund.expiresAt
  if ((isWaiting || isRepeated) && !isOver) return refund
  throw new AppError(
    'refund_not_claimable',
    `refund ${refund.id} is ${refund.status}, and does not accept this address, or its deadline has passed`,
  )
}

/**
 * Inserts the payer's address for a locked refund, and appends the event, in the caller's transaction.
 *
 * @throws {AppError} `destination_not_allowed`; `refund_limit_reached`
 */
export async function insertClaimOf(
  deps: ClaimDeps,
  db: Db,
  {
    refund,
    destination,
    signed,
  }: { readonly refund: RefundRecord } & Pick<RefundClaimRequest, 'destination' | 'signed'>,
): Promise<void> {
  const charge = await getLockedCharge(db, refund.chargeId)
  const contracts = listContracts(deps.chains, refund)
  const { onlyToPayers } = deps
  await requireDestination(db, { charge, refund, destination, contracts, onlyToPayers, param: 'destination' })
  const now = deps.now()
  const claimed = { refundId: refund.id, destination, signed, claimedAt: now }
  if (!(await insertClaim(db, claimed, MAX_CLAIMS_PER_REFUND)))
    throw new AppError(
      'refund_limit_reached',
      `refund ${refund.id} already had ${MAX_CLAIMS_PER_REFUND} addresses, the maximum`,
    )
  await applyRefundNews(deps, db, { id: refund.id, report: { type: 'destination.claimed' }, now })
}

/** Requires that an account that sent at least the refund's amount on its pair signed exactly this claim. */
async function verify(
  { sql, chains, checkoutBaseUrl }: ClaimDeps,
  refund: RefundRecord,
  { destination, claimHash, signed }: RefundClaimRequest,
): Promise<void> {
  const { chainId, id } = refund
  const { hasTypedData } = CHAIN_FAMILIES[refund.family]
  const checked = chains.find(({ deployment }) => deployment.chainId === chainId)
  if (signed === null || chainId === null || checkoutBaseUrl === null || !hasTypedData)
    throw new AppError('validation_error', `a claim of refund ${id} cannot be signed`, { param: 'signature' })
  if (checked === undefined)
    throw new AppError('rpc_unavailable', `chain ${chainId} is not read at the moment`)
  if (!(await isPayer(sql, { ...refund, account: signed.signer, before: refund.createdAt })))
    throw new AppError(
      'validation_error',
      `${signed.signer} did not send the amount of refund ${id} before it was declared`,
      { param: 'signature' },
    )
  const { host } = new URL(checkoutBaseUrl)
  await requireSignedClaim(checked, {
    terms: { ...refund, chainId, destination, host, claimHash },
    ...signed,
  })
}
