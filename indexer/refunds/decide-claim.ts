import { type Db, errorCode } from '../../shared/db/connect.ts'
import { decideClaim, findClaimHash, updateClaimHash } from '../../shared/db/refunds/daemon/refund-claims.ts'
import type { RefundResult } from '../../shared/db/refunds/refund-requests.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import type { Address } from '../../shared/domain/address.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { RefundRecord } from '../../shared/domain/refund/refund.ts'
import { applyRefundNews } from './apply-refund-news.ts'
import type { ClaimDeps } from './claim-destination.ts'
import { createAmbiguityError } from './declare-refund.ts'
import { getLockedCharge } from './get-locked-charge.ts'
import { lockRefundOf, type OfCharge } from './lock-refund-of.ts'
import { readNewestHead, requireFreshHead } from './read-newest-head.ts'
import { listContracts, requireDestination } from './require-destination.ts'
import { withinTime } from './within-time.ts'

/**
 * Makes the payer's address the destination of a refund, if the merchant's approval names the same address. Only a
 * transfer in a block after the current head of the chain can then pay the refund. The event notifies the merchant,
 * because an attacker with a stolen key or role could have approved the address. A repeated approval of the same address
 * has no effect, even after the refund was paid.
 *
 * @throws {AppError} `refund_not_awaiting_approval`, also after the deadline; `refund_address_mismatch`;
 * `destination_not_allowed`; `refund_ambiguous`; `rpc_unavailable`; `service_unavailable`
 */
export async function approveDestination(
  deps: ClaimDeps,
  of: OfCharge & { readonly address: Address },
): Promise<RefundResult> {
  const { id, address } = of
  const known = await inTransaction(deps.sql, (db) => lockRefundOf(db, of))
  if (isApproved(known, address)) return { outcome: 'done', refundId: id, isReplay: true }
  requireClaimed(known, address, deps.now())
  const afterBlock = known.chainId === null ? null : await withinTime(readNewestHead(deps, known.chainId))
  const headReadAt = performance.now()
  const isNew = await inTransaction(deps.sql, (db) =>
    approve(deps, db, { ...of, afterBlock, headReadAt }),
  ).catch((error: unknown) => {
    throw errorCode(error) === UNIQUE_VIOLATION ? createAmbiguityError() : error
  })
  if (!isNew) return { outcome: 'done', refundId: id, isReplay: true }
  deps.onEvents()
  deps.log.info({ msg: 'The address of a refund was approved', refund_id: id, charge_id: of.chargeId })
  return { outcome: 'done', refundId: id, isReplay: false }
}

/** PostgreSQL's code for a duplicate: another open refund has the same wallet, destination, token and amount. */
const UNIQUE_VIOLATION = '23505'

type Approved = OfCharge & {
  readonly address: Address
  readonly afterBlock: number | null
  /** `performance.now()` when the head was read. */
  readonly headReadAt: number
}

/** Approves the address. Returns false if a concurrent request has approved it since. */
async function approve(
  deps: ClaimDeps,
  db: Db,
  { afterBlock, headReadAt, address: destination, ...of }: Approved,
): Promise<boolean> {
  const refund = await lockRefundOf(db, of)
  if (isApproved(refund, destination)) return false
  const now = deps.now()
  requireClaimed(refund, destination, now)
  requireFreshHead(headReadAt)
  const charge = await getLockedCharge(db, of.chargeId)
  const contracts = listContracts(deps.chains, refund)
  const { onlyToPayers } = deps
  await requireDestination(db, { charge, refund, destination, contracts, onlyToPayers, param: 'address' })
  await decideClaim(db, { refundId: of.id, decision: 'approved', now })
  const report = { type: 'destination.approved', destination, afterBlock } as const
  await applyRefundNews(deps, db, { id: of.id, report, now })
  return true
}

/**
 * Returns whether the refund can be paid, or was paid, at this address. A canceled or expired refund is not approved: its
 * amount is no longer reserved.
 */
function isApproved({ status, destination }: RefundRecord, address: Address): boolean {
  return destination === address && ['awaiting_payment', 'seen', 'confirmed'].includes(status)
}

function requireClaimed({ id, status, claim, expiresAt }: RefundRecord, address: Address, now: Date): void {
  // After the deadline, the refund keeps its status until it is expired.
  const isOver = now >= expiresAt
  if (status !== 'awaiting_approval' || claim === null || isOver) throw createUnclaimedError({ id, status })
  if (claim.destination === address) return
  throw new AppError(
    'refund_address_mismatch',
    `the payer of ${id} gave an address that differs from ${address}`,
    {
      param: 'address',
    },
  )
}

type Relinked = OfCharge & { readonly claimHash: string }

/**
 * Rejects the payer's address and replaces the link. The payer can give a different address only with the new link. The
 * link must be new, so that the old link becomes void, and a request that runs twice does not reject the next address.
 *
 * @throws {AppError} `refund_not_awaiting_approval`, also after the deadline; `validation_error` if the link is not new
 */
export async function rejectDestination(deps: ClaimDeps, of: Relinked): Promise<RefundResult> {
  await inTransaction(deps.sql, async (db) => {
    const refund = await lockRefundOf(db, of)
    const now = deps.now()
    // After the deadline, the refund keeps its status until it is expired, but the payer could not use the new link.
    const isOver = now >= refund.expiresAt
    if (refund.status !== 'awaiting_approval' || isOver) throw createUnclaimedError(refund)
    if ((await findClaimHash(db, of.id)) === of.claimHash)
      throw new AppError('validation_error', `the link of ${of.id} must be replaced by a new one`)
    await decideClaim(db, { refundId: of.id, decision: 'rejected', now })
    await updateClaimHash(db, of.id, of.claimHash)
    await applyRefundNews(deps, db, { id: of.id, report: { type: 'destination.rejected' }, now })
  })
  return { outcome: 'done', refundId: of.id, isReplay: false }
}

/**
 * Replaces the payer's link.
 *
 * @throws {AppError} `refund_not_claimable` if the refund is not waiting for an address, or its deadline has passed
 */
export async function renewClaimLink(deps: ClaimDeps, of: Relinked): Promise<RefundResult> {
  await inTransaction(deps.sql, async (db) => {
    const { status, id, expiresAt } = await lockRefundOf(db, of)
    // After the deadline, the refund keeps its status until it is expired.
    const isOver = deps.now() >= expiresAt
    if (status !== 'awaiting_destination' || isOver)
      throw new AppError(
        'refund_not_claimable',
        `refund ${id} is ${status}, and does not accept an address, or its deadline has passed`,
      )
    await updateClaimHash(db, id, of.claimHash)
  })
  return { outcome: 'done', refundId: of.id, isReplay: false }
}

function createUnclaimedError({ id, status }: Pick<RefundRecord, 'id' | 'status'>): AppError {
  return new AppError(
    'refund_not_awaiting_approval',
    `refund ${id} is ${status}: it has no address to decide on, or its deadline has passed`,
  )
}
