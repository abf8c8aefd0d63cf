import type { EscrowRequestPayload } from '../../shared/db/escrow/escrow-requests.ts'
import type { EscrowAction } from '../../shared/domain/escrow-action.ts'
import { verifyEscrowSignature } from '../../shared/domain/escrow-order.ts'
import { newId } from '../../shared/domain/ids.ts'
import type { Tenant } from '../../shared/domain/tenant.ts'
import { askDaemon } from '../ask-daemon.ts'
import { type EscrowDeps, prepareEscrow } from './prepare-escrow.ts'

/** An order of the releaser, as it was sent. */
export type EscrowOrder = {
  readonly tenant: Tenant
  readonly chargeId: string
  readonly action: EscrowAction
  readonly signature: string
  /** The amount that is signed, in the token's units; `null` for the live balance. */
  readonly signedAmount: string | null
  readonly now: Date
  /** The `Request-Id` of the request that orders. */
  readonly apiRequestId: string
}

/** After this long the charge is answered as it stands; the order goes on (decisions 4.2). */
const PATIENCE = { waitMs: 30_000, isWithdrawn: false }

/**
 * Hands the releaser's order to the daemon, and returns when it is mined, or after 30 s.
 *
 * The signature is verified here against what the chain shows now, and by the daemon once more before it broadcasts.
 *
 * @throws {AppError} what `prepareEscrow` throws; `escrow_invalid_signature`; `request_in_progress`; or why the daemon
 * refused
 */
export async function orderEscrow(deps: EscrowDeps, order: EscrowOrder): Promise<void> {
  const { chargeId, action, signature, apiRequestId } = order
  const { transaction, releaser } = await prepareEscrow(deps, order)
  await verifyEscrowSignature(transaction, { releaser, signature })
  const { chainId, amountAtomic } = transaction
  // The signed amount, also where it is the live balance: a cent that arrives meanwhile must not void the signature.
  const payload: EscrowRequestPayload = { chainId, action, signature, amountAtomic: String(amountAtomic) }
  const { organizationId } = order.tenant
  const id = newId('req', order.now.getTime())
  const request = { id, kind: 'escrow_order', organizationId, chargeId, apiRequestId, payload } as const
  await askDaemon(deps.sql, request, PATIENCE)
}
