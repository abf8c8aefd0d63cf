import { lockForBooks } from '../../shared/db/accounting/daemon/list-booked-charges.ts'
import { readLockedCharges } from '../../shared/db/charges/daemon/charge-inbox.ts'
import type { Db } from '../../shared/db/connect.ts'
import { findSimulatedPayer, findSimulatedRefund } from '../../shared/db/refunds/daemon/simulated-refunds.ts'
import type { RefundResult } from '../../shared/db/refunds/refund-requests.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import { parseEvmAddress } from '../../shared/domain/address.ts'
import { AppError, invariant } from '../../shared/domain/errors.ts'
import type { RefundRecord } from '../../shared/domain/refund/refund.ts'
import type { SandboxRefundEvent } from '../../shared/domain/sandbox-trigger.ts'
import { applyRefundNews } from './apply-refund-news.ts'
import { type ClaimDeps, insertClaimOf } from './claim-destination.ts'

/** The claimed address if no simulated payment of the charge has a sender. */
const PAYER = parseEvmAddress('0x5a4db0c5a4db0c5a4db0c5a4db0c5a4db0c5a4db')

type Simulated = { readonly chargeId: string; readonly event: SandboxRefundEvent }

/**
 * Applies a sandbox event to the charge's oldest simulated refund that awaits this event.
 *
 * @throws {AppError} `invalid_trigger_state` if there is no such refund; `forbidden` if the charge is not a test charge
 */
export async function simulateRefund(deps: ClaimDeps, { chargeId, event }: Simulated): Promise<RefundResult> {
  const refundId = await inTransaction(deps.sql, async (db) => {
    await lockForBooks(db, [chargeId])
    const [charge] = await readLockedCharges(db, [chargeId])
    if (charge?.environment !== 'test') throw new AppError('forbidden', 'the sandbox is for test charges')
    const status = event === 'charge.refunded' ? 'awaiting_payment' : 'awaiting_destination'
    const refund = await findSimulatedRefund(db, { chargeId, status })
    if (refund === null)
      throw new AppError(
        'invalid_trigger_state',
        `${chargeId} has no refund of a simulated payment that is ${status}`,
      )
    if (event === 'charge.refunded') await confirm(deps, db, refund)
    else await claim(deps, db, refund)
    return refund.id
  })
  deps.onEvents()
  return { outcome: 'done', refundId, isReplay: false }
}

async function confirm(deps: ClaimDeps, db: Db, { id }: RefundRecord): Promise<void> {
  const report = { type: 'transfer.final', transfer: null } as const
  await applyRefundNews(deps, db, { id, report, now: deps.now() })
}

async function claim(deps: ClaimDeps, db: Db, refund: RefundRecord): Promise<void> {
  const destination = (await findSimulatedPayer(db, refund.chargeId)) ?? PAYER
  invariant(destination !== null, 'the address of the sandbox is valid')
  await insertClaimOf(deps, db, { refund, destination, signed: null })
}
