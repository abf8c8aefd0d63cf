import { lockCharges } from '../../shared/db/charges/daemon/charge-inbox.ts'
import type { Db } from '../../shared/db/connect.ts'
import type { SimulatedOrder } from '../../shared/db/escrow/daemon/simulated-orders.ts'
import { findEscrowFacts } from '../../shared/db/escrow/escrow-facts.ts'
import type { EscrowRequestPayload } from '../../shared/db/escrow/escrow-requests.ts'
import { AppError, invariant } from '../../shared/domain/errors.ts'
import {
  draftEscrowTransaction,
  requirePaidEscrow,
  SIMULATED_PART,
  verifyEscrowSignature,
} from '../../shared/domain/escrow-order.ts'
import { runTurns, type TurnContext } from './charge-turn.ts'

/**
 * Releases or refunds a simulated escrow in the caller's transaction, with the same state machine and events as an
 * escrow on a chain. The releaser must have signed the action, for the whole balance that the sandbox credited or for
 * all of it except dust. The order ends the escrow immediately; it is rejected if only dust was credited.
 *
 * Locks the charge and processes its inbox first.
 *
 * @throws {AppError} any error of `requirePaidEscrow`; `escrow_empty`; `escrow_invalid_signature`;
 * `service_unavailable` if the order has expired, or the charge is quarantined
 */
export async function applySimulatedEscrow(
  terms: TurnContext,
  db: Db,
  order: Pick<SimulatedOrder, 'chargeId' | 'isExpired' | 'apiRequestId'> & EscrowRequestPayload,
): Promise<void> {
  const { chargeId, action, isExpired, apiRequestId } = order
  const chargeIds = await lockCharges(db, [chargeId])
  if (isExpired) throw unavailable(`the order for ${chargeId} could not be executed in time`)
  await runTurns(terms, db, { chargeIds, facts: [] })
  await verify(db, order)
  const type = action === 'release' ? 'escrow.released' : 'escrow.refunded'
  const facts = [{ type, byEndpoint: true }] as const
  const turns = await runTurns({ ...terms, apiRequestId }, db, { chargeIds, facts })
  if (turns.length === 0) throw unavailable(`${chargeId} is quarantined and waits for an operator`)
}

/** Verifies that the order is possible and that the releaser signed it, without relying on the API's checks. */
async function verify(
  db: Db,
  {
    chargeId,
    action,
    signature,
    amountAtomic: signedAmount,
  }: Pick<SimulatedOrder, 'chargeId'> & EscrowRequestPayload,
): Promise<void> {
  const facts = await findEscrowFacts(db, chargeId)
  invariant(facts !== null, `the charge ${chargeId} of a locked request does not exist`)
  // The inbox might have contained a payment on a chain. The escrow is then no longer simulated.
  if (facts.simulatedSafe === null) throw new AppError('escrow_empty', SIMULATED_PART)
  const escrow = requirePaidEscrow(facts)
  const transaction = draftEscrowTransaction({ action, signedAmount }, escrow, facts.simulatedSafe)
  await verifyEscrowSignature(transaction, { releaser: escrow.releaser, signature })
}

function unavailable(message: string): AppError {
  return new AppError('service_unavailable', message, { retryable: false })
}
