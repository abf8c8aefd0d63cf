import type { EscrowRequestPayload } from '../../../shared/db/escrow/escrow-requests.ts'
import { type EscrowIntent, verifyEscrowSignature } from '../../../shared/domain/escrow-order.ts'
import { newId } from '../../../shared/domain/ids.ts'
import type { Tenant } from '../../../shared/domain/tenant.ts'
import { requestDaemon } from '../../http/request-daemon.ts'
import { type EscrowDeps, prepareEscrow } from './prepare-escrow.ts'

/** The releaser's order, as received. */
export type EscrowOrder = EscrowIntent & {
  readonly tenant: Tenant
  readonly chargeId: string
  readonly signature: string
  readonly now: Date
  /** The `Request-Id` of the order's request. */
  readonly apiRequestId: string
}

/**
 * Maximum wait for an order's transaction. After it the current charge is returned, and the order continues (decisions
 * 4.2).
 */
export const ORDER_WAIT_MS = 30_000

const WAIT_OPTIONS = { waitMs: ORDER_WAIT_MS, isWithdrawn: false }

/**
 * Sends the releaser's order to the daemon, and returns when the order's transaction is mined, or after 30 s.
 *
 * The signature is verified here against the current state of the chain, and again by the daemon before it broadcasts.
 *
 * @throws {AppError} the errors of `prepareEscrow`; `escrow_invalid_signature`; `request_in_progress`; or the daemon's
 * rejection
 */
export async function submitEscrowOrder(deps: EscrowDeps, order: EscrowOrder): Promise<void> {
  const { chargeId, action, signature, apiRequestId } = order
  const { transaction, releaser } = await prepareEscrow(deps, order)
  await verifyEscrowSignature(transaction, { releaser, signature })
  const { chainId, amountAtomic } = transaction
  // Send the signed amount, even if it equals the live balance: a cent that arrives in between must not void the
  // signature.
  const payload: EscrowRequestPayload = { chainId, action, signature, amountAtomic: String(amountAtomic) }
  const { organizationId } = order.tenant
  const id = newId('req', order.now.getTime())
  const request = { id, kind: 'escrow_order', organizationId, chargeId, apiRequestId, payload } as const
  await requestDaemon(deps.sql, request, WAIT_OPTIONS)
}
