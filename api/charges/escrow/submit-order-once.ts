import { findSameOrder } from '../../../shared/db/escrow/same-order.ts'
import { AppError } from '../../../shared/domain/errors.ts'
import { verifyEscrowSignature } from '../../../shared/domain/escrow-order.ts'
import { waitForDaemonResponse } from '../../http/request-daemon.ts'
import { draftEscrow, type EscrowDeps, type EscrowReading } from './prepare-escrow.ts'
import { type EscrowOrder, ORDER_WAIT_MS, submitEscrowOrder } from './submit-escrow-order.ts'

type Submission = EscrowDeps & {
  /** Reads an escrow; the result might be a few seconds old. */
  readonly readEscrow: (chargeId: string) => Promise<EscrowReading>
  /** Counts a new order with a valid signature against the limits. */
  readonly limit: () => Promise<void>
}

/**
 * Submits an order that anyone may send without an API key. Submitting the same signature again only waits for the
 * first order, unless that order has failed.
 *
 * Verifies the signature before it counts or writes anything, against a cached reading, because otherwise invalid
 * signatures could use up our quota at the nodes. `submitEscrowOrder` then verifies the signature again, against the
 * current state of the chain.
 *
 * @throws {AppError} the errors of `readEscrow`, `submitEscrowOrder` and `limit`
 */
export async function submitOrderOnce(deps: Submission, order: EscrowOrder): Promise<void> {
  if (await followSameOrder(deps, order)) return
  const { transaction, releaser } = draftEscrow(await deps.readEscrow(order.chargeId), order)
  await verifyEscrowSignature(transaction, { releaser, signature: order.signature })
  try {
    await deps.limit()
    await submitEscrowOrder(deps, order)
  } catch (error) {
    // A simultaneous request might have submitted the same order.
    if (error instanceof AppError && (await followSameOrder(deps, order))) return
    throw error
  }
}

/**
 * Returns whether the same order was submitted before, after waiting for that order.
 *
 * @throws {AppError} the daemon's rejection
 */
async function followSameOrder({ sql }: Pick<Submission, 'sql'>, order: EscrowOrder): Promise<boolean> {
  const id = await findSameOrder(sql, order)
  if (id === null) return false
  await waitForDaemonResponse(sql, id, ORDER_WAIT_MS)
  return true
}
