import type { EscrowRequestPayload } from '../../../shared/db/escrow/escrow-requests.ts'
import { type EscrowIntent, verifyEscrowSignature } from '../../../shared/domain/escrow-order.ts'
import { newId } from '../../../shared/domain/ids.ts'
import type { Tenant } from '../../../shared/domain/tenant.ts'
import { requestDaemon } from '../../http/request-daemon.ts'
import { type EscrowDeps, prepareEscrow } from './prepare-escrow.ts'

/** An order as received, with the releaser's signature. */
export type EscrowOrder = EscrowIntent & {
  readonly tenant: Tenant
  readonly chargeId: string
  readonly signature: string
  readonly now: Date
  /** The `Request-Id` of the order's request. */
  readonly apiRequestId: string
}

/** Maximum wait for an order's transaction. The order continues after that time (decisions 4.2). */
export const ORDER_WAIT_MS = 30_000

const WAIT_OPTIONS = { waitMs: ORDER_WAIT_MS, isWithdrawn: false }

/**
 * Sends the releaser's order to the daemon, and returns when the order's transaction is mined, or after 30 s.
 *
 * Verifies the signature against the current state of the chain. The daemon verifies it again before the broadcast.
 *
 * @throws {AppError} the errors of `prepareEscrow`; `escrow_invalid_signature`; `request_in_progress`; or the daemon's
 * rejection
 */
export async function submitEscrowOrder(deps: EscrowDeps, order: EscrowOrder): Promise<void> {
  const { chargeId, action, signature, apiRequestId } = order
  const { transaction, releaser } = await prepareEscrow(deps, order)
  await verifyEscrowSignature(transaction, { releaser, signature })
  const { chainId, amountAtomic } = transaction
  // The signed amount is sent even if it equals the live balance, because a cent that arrives before the daemon reads
  // the balance must not void the signature.
  const payload: EscrowRequestPayload = { chainId, action, signature, amountAtomic: String(amountAtomic) }
  const { organizationId } = order.tenant
  const id = newId('req', order.now.getTime())
  const request = { id, kind: 'escrow_order', organizationId, chargeId, apiRequestId, payload } as const
  await requestDaemon(deps.sql, request, WAIT_OPTIONS)
}
